//! Notes: tools, limits, search and pages.
