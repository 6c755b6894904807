"""Drawn scenes in the app: what is known of their objects, and how a scene can be edited."""
