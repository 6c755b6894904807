"""The app as a Space of the model hub: a folder that holds what it needs and no more, and a trial of that folder."""
