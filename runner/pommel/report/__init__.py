"""What people look at: tables, plots, one page of results."""
