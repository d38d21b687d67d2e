"""How values, numbers, tables (text and HTML), colours and plots read; suggestions for misspelt names."""
