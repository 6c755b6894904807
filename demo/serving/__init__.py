"""What stands between the network and the views: calls are checked, uploads kept for a while, sessions bounded."""
