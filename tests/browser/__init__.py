"""Pages as people use them, in a headless Chromium."""
