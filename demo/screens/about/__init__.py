"""About: the three ideas, measured numbers, licences."""
