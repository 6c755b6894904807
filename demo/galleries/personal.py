"""The galleries of a person's own: none of them outlives the session."""

from __future__ import annotations

from demo.galleries.folder import UPLOADS

OWN_VIDEO = "own-video"  # the frames of a video that somebody sent
CAMERA = "camera"  # a frame of somebody's camera
PERSONAL = (UPLOADS, OWN_VIDEO, CAMERA)
