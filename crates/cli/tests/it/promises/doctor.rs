//! What doctor finds, survives and proves.
