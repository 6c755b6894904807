"""The page without a server: a folder that any static host serves, in which the visitor's browser runs the models."""
