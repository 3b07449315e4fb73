"""Shots of people: tables of mixed doubles at championships, the throws that explain them, the errors of throwers."""
