"""What people read: the pages of operator versions and problems, and what a browser loads beside them."""
