"""The commands of `python -m demo`: each checks its arguments before it imports what takes seconds."""
