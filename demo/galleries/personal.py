"""Names of a session's own galleries, which end with it."""

from __future__ import annotations

from demo.galleries.folder import UPLOADS

OWN_VIDEO = "own-video"  # the frames of a video that somebody sent
CAMERA = "camera"  # a frame of somebody's camera
PERSONAL = (UPLOADS, OWN_VIDEO, CAMERA)
