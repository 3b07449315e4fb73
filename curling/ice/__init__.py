"""The sheet, its physics and noise, the engines that move stones, and shots."""
