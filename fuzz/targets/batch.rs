//! Made-up batches: see `heureka::registry::check_batch`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| heureka::registry::check_batch(data));
