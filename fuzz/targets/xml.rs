//! Made-up XML: see `heureka::wire::check_xml`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| heureka::wire::check_xml(data));
