"""C++ name lookup: which functions and operators a call may mean, and of which class what it is called on is."""
