//! Bodies that are wrong in every way that came to mind, with the answer to each.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::support::members;
use crate::world::{World, well_formed};

const JSON: &str = "application/json";
const XML: &str = "application/xml";

/// A registration of `A/i` in JSON with these members besides; of members that are there twice, the last counts.
fn json(more: &str) -> String {
    format!("{{\"instance\":{{{}}}}}", members("A", "i", more))
}

fn xml(more: &str) -> String {
    format!(
        "<instance><instanceId>i</instanceId><hostName>h</hostName><app>A</app><ipAddr>1</ipAddr>\
         <dataCenterInfo><name>MyOwn</name></dataCenterInfo>{more}</instance>"
    )
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Sends each as a registration of `A`; what is accepted is read back and removed again.
async fn each(content_type: &str, cases: &[(u16, Vec<u8>)]) {
    let world = World::new().await;
    for (status, body) in cases {
        let ask = world.node.post("/eureka/apps/A", body.clone());
        let reply = world.send(ask.header("Content-Type", content_type)).await;
        let shown: String = String::from_utf8_lossy(body).chars().take(200).collect();
        assert_eq!(reply.status, *status, "{shown}: {}", reply.text());
        assert_eq!(
            reply.status >= 400,
            !reply.body.is_empty(),
            "who is refused is told why: {shown}"
        );
        well_formed(&reply);
        world.is_unspoiled().await;
        if *status == 204 {
            world.lists_are_whole().await;
            world.forget_the_others().await;
        }
    }
    world.pages_are_whole().await;
}

fn table(cases: Vec<(u16, String)>) -> Vec<(u16, Vec<u8>)> {
    let bytes = |(status, text): (u16, String)| (status, text.into_bytes());
    cases.into_iter().map(bytes).collect()
}

#[actix_web::test]
async fn json_that_is_none_or_something_else() {
    let cases = [
        (400, ""),
        (400, " "),
        (400, "\0"),
        (400, "nul"),
        (400, "null"),
        (400, "true"),
        (400, "\"instance\""),
        (400, "[]"),
        (400, "{}"),
        (400, "{\"instance\"}"),
        (400, "{\"instance\":}"),
        (400, "{\"instance\":{}}"),
        (400, "{\"instance\":[{}]}"),
        (400, "{\"instance\":null}"),
        (400, "{\"instance\":1e999}"),
        (400, "{\"instance\":\"{}\"}"),
        (400, "{'instance':{}}"),
        (400, "{instance:{}}"),
        (400, "{\"instance\":{},}"),
        (400, "//\n{\"instance\":{}}"),
        (400, "\u{feff}\u{feff}{}"),
        (400, "{\"Instance\":{}}"),
        (400, "{\"instance\":{\"hostName\":NaN}}"),
        (400, "{\"instance\":{\"hostName\":\"a\nb\"}}"),
        (400, "{\"instance\":{\"hostName\":\"\\x41\"}}"),
        (400, "{\"instance\":{\"hostName\":\"\\u12\"}}"),
        (400, "{\"instance\":{\"hostName\":\"a\0b\"}}"),
        (400, "<instance/>"),
        (400, "a=b&c=d"),
    ];
    each(
        JSON,
        &table(
            cases
                .map(|(status, text)| (status, text.to_string()))
                .into(),
        ),
    )
    .await;
}

#[actix_web::test]
async fn json_that_breaks_off_anywhere() {
    let whole = json(r#""metadata":{"a":"\u00e9é"},"port":{"$":1,"@enabled":"true"}"#).into_bytes();
    let cut = |end| (400, whole[..end].to_vec());
    each(JSON, &(0..whole.len()).map(cut).collect::<Vec<_>>()).await;
}

#[actix_web::test]
async fn json_with_absurd_values_is_refused_or_tamed() {
    let mut cases = vec![
        (204, json(r#""hostName":"a","hostName":"b","hostName":"c""#)),
        (400, json(r#""app":"B","app":"A","app":"B""#)),
        (400, json(r#""app":"a\u0000""#)),
        (204, json(r#""app":"a""#)),
        (400, json(r#""hostName":"""#)),
        (400, json(r#""hostName":null"#)),
        (400, json(r#""hostName":{}"#)),
        (400, json(r#""hostName":[]"#)),
        (204, json(r#""hostName":7"#)),
        (400, json(r#""hostName":"\ud800""#)),
        (204, json(r#""hostName":"\ud83d\ude00""#)),
        (400, json(r#""dataCenterInfo":[]"#)),
        (400, json(r#""dataCenterInfo":{}"#)),
        (400, json(r#""dataCenterInfo":{"name":"\u0000"}"#)),
        (
            204,
            json(r#""dataCenterInfo":{"name":"Amazon","metadata":{"instance-id":"\u0000\n"}}"#),
        ),
        (
            204,
            json(r#""dataCenterInfo":{"name":"Amazon","metadata":[[[]]]}"#),
        ),
        (204, json(r#""metadata":[1,2]"#)),
        (204, json(r#""metadata":"text""#)),
        (
            204,
            json(r#""metadata":{"":"","@class":"x","\u0000":"\u0000","$":"_","a b":"c:d"}"#),
        ),
        (
            204,
            json(r#""metadata":{"\u202e\u200f":"\u202egnp.exe","\ufffe":"\uffff","1":"]]>"}"#),
        ),
        (
            204,
            json(r#""metadata":{"<script>":"</script><script>alert(1)</script>"}"#),
        ),
        (
            204,
            json(r#""homePageUrl":"javascript:alert(1)","statusPageUrl":"JaVaScRiPt:alert(1)""#),
        ),
        (
            204,
            json(r#""statusPageUrl":"http://x/\"><script>alert(1)</script>""#),
        ),
        (204, json(r#""vipAddress":",,, ,\u0000,a,a,a""#)),
        (204, json(r#""asgName":"\n\r\t\u0008\u000c\u001b[2J""#)),
        (204, json(r#""sid":"\u2028\u2029\u0085""#)),
        (204, json(r#""status":"\u0000","overriddenStatus":"<UP>""#)),
        (
            204,
            json(r#""status":{},"overriddenstatus":[],"actionType":{"a":1}"#),
        ),
        (
            204,
            json(r#""port":{"$":[],"@enabled":{}},"securePort":[1]"#),
        ),
        (204, json(r#""leaseInfo":[],"leaseInfo":7,"leaseInfo":"x""#)),
        (
            204,
            json(r#""__proto__":{"a":1},"constructor":{},"a":{"b":[{"c":[]}]}"#),
        ),
    ];
    for number in [
        "0",
        "-1",
        "-0",
        "1e999",
        "-1e999",
        "1e-999",
        "0.1",
        "1E400",
        "9223372036854775807",
        "9223372036854775808",
        "18446744073709551616",
        "99999999999999999999999999999999999999",
        "\"9223372036854775808\"",
        "\"-9223372036854775809\"",
        "\"NaN\"",
        "\"Infinity\"",
        "\"0x10\"",
        "\" 1 \"",
        "\"١٢٣\"",
        "\"\"",
        "true",
        "null",
        "[]",
        "{}",
    ] {
        let members = [
            "port",
            "securePort",
            "countryId",
            "lastDirtyTimestamp",
            "lastUpdatedTimestamp",
        ];
        let all = members.map(|member| format!("\"{member}\":{number}"));
        cases.push((204, json(&all.join(","))));
        cases.push((
            204,
            json(&format!(r#""port":{{"$":{number},"@enabled":{number}}}"#)),
        ));
        let lease = format!(
            r#""leaseInfo":{{"durationInSecs":{number},"renewalIntervalInSecs":{number},
            "evictionTimestamp":{number},"serviceUpTimestamp":{number}}}"#
        );
        cases.push((204, json(&lease)));
    }
    each(JSON, &table(cases)).await;
}

#[actix_web::test]
async fn json_that_is_deep_or_wide_is_refused_before_it_is_read() {
    let deep = |open: &str, close: &str, n: usize| format!("{}{}", open.repeat(n), close.repeat(n));
    let cases = vec![
        (400, deep("[", "]", 100_000)),
        (400, deep("{\"instance\":", "}", 50_000)),
        (400, "[".repeat(1_000_000)),
        (400, "{\"a\":".repeat(200_000)),
        (400, json(&format!("\"x\":{}", deep("[", "]", 33)))),
        (
            400,
            json(&format!("\"metadata\":{}", deep("{\"a\":", "}", 33))),
        ),
        (400, json(&format!("\"x\":[{}1]", "1,".repeat(400_000)))),
        (400, json(&format!("{}\"z\":1", "\"a\":1,".repeat(100_000)))),
        (413, json(&format!("\"x\":\"{}\"", "x".repeat(1 << 20)))),
        (
            400,
            json(&format!("\"hostName\":\"{}\"", "x".repeat(500_000))),
        ),
        (
            400,
            json(&format!(
                "\"status\":\"UP\",\"app\":\"{}\"",
                "x\n".repeat(300_000)
            )),
        ),
    ];
    each(JSON, &table(cases)).await;
}

#[actix_web::test]
async fn xml_that_is_none_or_reaches_outside_or_grows() {
    let doctype = |body: &str| format!("<!DOCTYPE instance [{body}]>{}", xml("<sid>&x;</sid>"));
    let laughs: String = (1..10)
        .map(|n| format!("<!ENTITY l{n} \"{}\">", format!("&l{};", n - 1).repeat(10)))
        .collect();
    let mut cases = vec![
        (400, doctype("<!ENTITY x SYSTEM \"file:///etc/passwd\">")),
        (
            400,
            doctype("<!ENTITY x PUBLIC \"a\" \"http://127.0.0.1:1/\">"),
        ),
        (
            400,
            doctype("<!ENTITY % x SYSTEM \"http://127.0.0.1:1/x.dtd\"> %x;"),
        ),
        (400, doctype("<!ENTITY x \"&x;\">")),
        (
            400,
            doctype(&format!("<!ENTITY l0 \"lol\">{laughs}<!ENTITY x \"&l9;\">")),
        ),
        (
            400,
            format!("<!DOCTYPE instance SYSTEM \"x.dtd\">{}", xml("")),
        ),
        (400, format!("<!doctype instance>{}", xml(""))),
        (400, xml("<sid>&x;</sid>")),
        (400, xml("<sid>&amp</sid>")),
        (400, xml("<sid>&;</sid>")),
        (400, xml("<sid>& </sid>")),
        (400, xml("<sid>&#xD800;</sid>")),
        (400, xml("<sid>&#x110000;</sid>")),
        (400, xml("<sid>&#99999999999999999999;</sid>")),
        (400, xml("<sid>&#-1;</sid>")),
        (400, xml("<sid a='1' a='2'/>")),
        (400, xml("<sid a=1/>")),
        (400, xml("<sid a='&x;'/>")),
        (400, xml("<a><b></a></b>")),
        (400, xml("<a>")),
        (400, xml("</a>")),
        (400, xml("<")),
        (400, xml("<!-- <a>")),
        (400, xml("<![CDATA[ <a>")),
        (400, xml("<? ")),
        (400, xml(&"<a>".repeat(100_000))),
        (400, xml(&"<a/>".repeat(200_000))),
        (
            400,
            xml(&format!(
                "<sid {}/>",
                (0..60_000).map(|n| format!("a{n}='' ")).collect::<String>()
            )),
        ),
        (413, xml(&"x".repeat(1 << 20))),
        (
            204,
            xml("<sid><![CDATA[]]]]><![CDATA[>&x;<!DOCTYPE>]]></sid>"),
        ),
        (
            204,
            xml("<metadata><_.0000>&#x1F600;</_.0000><_.d800>a</_.d800><_->b</_-></metadata>"),
        ),
        (
            204,
            xml("<metadata><a:b xmlns:a='x'>&lt;script&gt;</a:b></metadata>"),
        ),
        (
            204,
            xml("<port>65536</port><securePort enabled=''>1e999</securePort>"),
        ),
        (
            204,
            xml("<lastDirtyTimestamp>-1e999</lastDirtyTimestamp><countryId>NaN</countryId>"),
        ),
        (204, xml("<?xml-stylesheet href='javascript:alert(1)'?>")),
        (
            204,
            xml("<sid>a</sid><sid>b</sid><status>UP</status><status>DOWN</status>"),
        ),
        (204, format!("{}<!DOCTYPE x><y>", xml(""))),
    ];
    for text in [
        "", " ", "x", "<", "<>", "< a/>", "<a/>", "{}", "<?xml?>", "<!-- -->", "\u{feff}",
    ] {
        cases.push((400, text.to_string()));
    }
    // Not every reader stumbles over these; whoever takes them must write something well-formed.
    let world = World::new().await;
    for text in [
        "&#0;", "&#x1;", "&#xB;", "&#xFFFE;", "\u{1}", "\0", "\u{7f}", "\u{202e}", "]]>", "\u{85}",
    ] {
        for body in [
            xml(&format!("<sid>{text}</sid>")),
            xml(&format!("<metadata><k>{text}</k></metadata>")),
        ] {
            world
                .send(world.node.post("/eureka/apps/A", body).xml_body())
                .await;
            world.lists_are_whole().await;
            world.forget_the_others().await;
        }
    }
    each(XML, &table(cases)).await;
}

#[actix_web::test]
async fn xml_that_breaks_off_anywhere() {
    let whole = xml("<metadata><a__b x='1'>&#233;&amp;<![CDATA[c]]></a__b></metadata><!-- d -->")
        .into_bytes();
    let cut = |end| (400, whole[..end].to_vec());
    each(XML, &(0..whole.len()).map(cut).collect::<Vec<_>>()).await;
}

#[actix_web::test]
async fn bytes_that_are_no_text() {
    let mut cases = Vec::new();
    let bad: [&[u8]; 9] = [
        b"\xff",
        b"\x80",
        b"\xc0\x80",
        b"\xe0\x80\xaf",
        b"\xed\xa0\x80",
        b"\xf4\x90\x80\x80",
        b"\xf8\x88\x80\x80\x80",
        b"\xff\xfe{\0",
        b"\xc3",
    ];
    for bytes in bad {
        let (head, tail) = (br#"{"instance":{"sid":""#, br#""}}"#);
        cases.push((400, [&head[..], bytes, tail].concat()));
        cases.push((400, bytes.to_vec()));
    }
    each(JSON, &cases).await;
    // UTF-16 with and without its mark.
    let wide: Vec<u8> = json("").encode_utf16().flat_map(u16::to_le_bytes).collect();
    each(
        JSON,
        &[
            (400, wide.clone()),
            (400, [&b"\xff\xfe"[..], &wide].concat()),
        ],
    )
    .await;
    each("application/json;charset=utf-16", &[(415, wide)]).await;
    each(
        "application/json;charset=\"\\",
        &[(415, json("").into_bytes())],
    )
    .await;
    each("text/html", &[(415, json("").into_bytes())]).await;
    each("multipart/form-data", &[(415, json("").into_bytes())]).await;
    each(
        "application/json, application/xml",
        &[(415, json("").into_bytes())],
    )
    .await;
}

#[actix_web::test]
async fn packed_bodies_that_are_bombs_broken_or_packed_again() {
    let world = World::new().await;
    let bomb = gzip(&vec![b'['; 24 << 20]);
    let nested = gzip(&gzip(&vec![b' '; 24 << 20]));
    let good = gzip(json("").as_bytes());
    let mut flipped = good.clone();
    flipped[20] ^= 0xff;
    let mut wrong_sum = good.clone();
    let end = wrong_sum.len();
    wrong_sum[end - 6] ^= 1;
    let many = gzip(b" ").repeat(20_000);
    for (coding, body, status) in [
        ("gzip", bomb.clone(), 413),
        ("gzip", nested, 400),
        ("deflate", bomb, 400),
        ("gzip", flipped, 400),
        ("gzip", wrong_sum, 400),
        ("gzip", good[..good.len() - 1].to_vec(), 400),
        ("gzip", good[..10].to_vec(), 400),
        ("gzip", many, 400),
        ("gzip", b"\x1f\x8b".to_vec(), 400),
        (
            "gzip",
            Vec::from(*b"\x1f\x8b\x08\x1f\0\0\0\0\0\xff\xff\xff"),
            400,
        ),
        ("gzip, gzip", good.clone(), 415),
        ("br", good.clone(), 415),
        ("\u{1}", good, 415),
    ] {
        let ask = world.node.post("/eureka/apps/A", body).json_body();
        let reply = world
            .send(ask.header("Content-Encoding", coding.trim_start_matches('\u{1}')))
            .await;
        let expected = if coding == "\u{1}" {
            reply.status
        } else {
            status
        };
        assert_eq!(reply.status, expected, "{coding}: {}", reply.text());
        world.is_unspoiled().await;
    }
}

#[actix_web::test]
async fn batches_that_make_no_sense() {
    let world = World::new().await;
    let item = |more: &str| format!(r#"{{"appName":"A","id":"i"{more}}}"#);
    let list = |items: &str| format!(r#"{{"replicationList":[{items}]}}"#);
    let good = r#"{"appName":"GOOD","id":"good-1","action":"Register","instanceInfo":{"#;
    for body in [
        String::new(),
        "[]".into(),
        "{\"replicationList\":{}}".into(),
        "{\"replicationList\":\"x\"}".into(),
        "{\"replicationList\":[[]]}".into(),
        list(&item("")),
        list(&item(r#","action":"Explode""#)),
        list(&item(r#","action":"\u0000""#)),
        list(&item(r#","action":"Register""#)),
        list(&item(r#","action":"Register","instanceInfo":[]"#)),
        list(&item(
            r#","action":"Heartbeat","lastDirtyTimestamp":1e999,"overriddenStatus":"X""#,
        )),
        list(&item(r#","action":"StatusUpdate","status":"<UP>""#)),
        list(&item(
            r#","action":"DeleteStatusOverride","lastDirtyTimestamp":-1"#,
        )),
        list(r#"{"appName":"\u0000\n","id":"\u202e","action":"Cancel"}"#),
        list(r#"{"appName":"","id":"","action":"Cancel"}"#),
        // The head of the item and the record in it disagree.
        list(&format!("{good}{}}}}}", members("A", "other", ""))),
        list(&format!(
            "{},{}",
            vec![item(r#","action":"Cancel""#); 10_000].join(","),
            item("")
        )),
        "<replicationList/>".into(),
    ] {
        let shown: String = body.chars().take(200).collect();
        let before = world.revision();
        let ask = world
            .node
            .post("/eureka/peerreplication/batch/", body)
            .json_body();
        let reply = world.send(ask).await;
        assert!(
            matches!(reply.status, 200 | 400 | 415),
            "{shown}: {reply:?}"
        );
        assert_eq!(world.revision(), before, "{shown}: {reply:?}");
        world.is_unspoiled().await;
    }
}
