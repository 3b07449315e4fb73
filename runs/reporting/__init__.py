"""The page of a run: its data, its tables, and the HTML, CSS and JavaScript that show them."""
