"""Min, Max, ArgMin and ArgMax of any dtype: an order, folding by it, and the search for where an extreme stands."""
