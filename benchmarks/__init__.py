"""Measurements side by side: ratios within one run are what counts, machines are shared and noisy."""
