"""Reports of a run: the chart, the HTML page and its data, the Markdown file."""
