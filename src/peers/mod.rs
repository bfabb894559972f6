//! Telling the others.
