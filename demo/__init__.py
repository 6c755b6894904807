"""The page that `python app.py` opens."""
