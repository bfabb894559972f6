//! Made-up paths: see `heureka::http::check_route`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| heureka::http::check_route(data));
