"""Sums of floats without rounding: terms, the parts and bins they add up to, and bounds that often settle sooner."""
