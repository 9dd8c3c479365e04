"""Worlds: where states, actions and rewards come from, for planning and learning alike."""
