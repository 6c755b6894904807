"""What stands between the network and the screens: calls are checked, uploads kept for a while, sessions bounded."""
