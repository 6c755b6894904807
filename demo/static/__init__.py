"""The static page: a folder for any web host; the models run in the visitor's browser."""
