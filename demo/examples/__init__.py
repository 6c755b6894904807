"""Selection of each view's initial content by measurements, and manual checks of words."""
