//! Made-up JSON: see `heureka::wire::check_json`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| heureka::wire::check_json(data));
