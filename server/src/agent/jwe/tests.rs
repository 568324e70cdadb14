use aes_gcm::KeyInit as _;
use proptest::prelude::*;

use super::*;

const KEY: [u8; 16] =
    [0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff];
const V1: &str = "eyJhbGciOiJkaXIiLCJlbmMiOiJBMTI4R0NNIiwidHlwIjoiSldUIn0..Fo9u9QMIAKBUkrkN.V-tPDboRXepg_M2DEpBHKZLmBFt0TU9JspeXSqbNnjdL6snXWSnDZWNxDz8nkP2vI_PUS_njwjRJreBiNc7coVKHYBvb4d-Gx9Dtlh-pIrDiVS6i_V4XZWtvRIvv8kXj0hV5TOcNSy0tsgvQSNUB0pbdjWZXonc0y8zL1ayw.bZn08Htfsi0Y1PKtFoTQBQ";
const V2: &str = "eyJlbmMiOiJBMTI4R0NNIiwiYWxnIjoiZGlyIn0..AAECAwQFBgcICQoL.UPdet921tULvV02yIa9tz35q72hOk6_OzHz2bIB-4goMq7ogZXg6yi6C19q_dqfOmkjl1Nmg6IjELBTIF9ktZKLV9u01E1H59FiTV2sJf8UV9VPJDUqqEjFjVd-LykOUxWWmHo3bg360DzfKHp_8NOljfBN-0FmPTJUmjgLTRwqbTNlW8zelaqLlFvmWzQgUAYenAru44ERL8hT7nA._iz_VW8FVKFURDXHwqvwkg";

fn cipher(key: [u8; 16]) -> Aes128Gcm {
    Aes128Gcm::new(&key.into())
}

fn opens(text: &str) -> bool {
    Jwe::parse(text).is_ok_and(|mut jwe| jwe.open(&cipher(KEY)))
}

/// A credential with this header and these claims under the test key.
fn made(header: &str, claims: &str) -> String {
    let header = URL_SAFE_NO_PAD.encode(header);
    let mut body = claims.as_bytes().to_vec();
    let tag = cipher(KEY).encrypt_in_place_detached(&[9; 12].into(), header.as_bytes(), &mut body).unwrap();
    let encode = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
    format!("{header}..{}.{}.{}", encode(&[9; 12]), encode(&body), encode(&tag))
}

fn segments(text: &str) -> Vec<String> {
    text.split('.').map(ToOwned::to_owned).collect()
}

#[test]
fn vector_v1_of_a_live_go_client() {
    let mut jwe = Jwe::parse(V1).unwrap();
    assert!(jwe.open(&cipher(KEY)));
    assert_eq!(jwe.claims().unwrap(), Claims { sub: Some("ACC".into()), exp: 1_795_207_061 });
    let expected = r#"{"aud":["audience"],"exp":1795207061,"iat":1795205861,"iss":"issuer","jti":"5c12c212-8ee5-4eef-aeb0-23c0170c7d8c","sub":"ACC"}"#;
    assert_eq!(jwe.body, expected.as_bytes());
    assert_eq!(URL_SAFE_NO_PAD.decode(GO_HEADER).unwrap(), br#"{"alg":"dir","enc":"A128GCM","typ":"JWT"}"#);
}

#[test]
fn t16_vector_v2_without_typ_with_members_swapped_and_one_audience() {
    let mut jwe = Jwe::parse(V2).unwrap();
    assert!(jwe.open(&cipher(KEY)));
    assert_eq!(jwe.claims().unwrap(), Claims { sub: Some("ACC".into()), exp: 4_102_444_800 });
    assert!(jwe.body.windows(7).any(|text| text == br":\/\/mg"), "slashes are escaped in this vector");
}

#[test]
fn one_changed_bit_in_any_segment_opens_nothing() {
    for vector in [V1, V2] {
        for segment in [0, 2, 3, 4] {
            let length = URL_SAFE_NO_PAD.decode(&segments(vector)[segment]).unwrap().len();
            for bit in 0..length * 8 {
                let mut parts = segments(vector);
                let mut bytes = URL_SAFE_NO_PAD.decode(&parts[segment]).unwrap();
                bytes[bit / 8] ^= 1 << (bit % 8);
                parts[segment] = URL_SAFE_NO_PAD.encode(bytes);
                assert!(!opens(&parts.join(".")), "bit {bit} of segment {}", segment + 1);
            }
        }
    }
}

#[test]
fn an_encrypted_key_is_refused() {
    for vector in [V1, V2] {
        assert_eq!(Jwe::parse(&vector.replacen("..", ".AAAA.", 1)).unwrap_err(), Malformed);
    }
}

#[test]
fn t16_the_received_header_text_is_authenticated() {
    let mut parts = segments(V2);
    parts[0] = URL_SAFE_NO_PAD.encode(r#"{"alg":"dir","enc":"A128GCM"}"#);
    let mut swapped = parts.join(".");
    let mut jwe = Jwe::parse(&swapped).unwrap();
    assert!(!jwe.open(&cipher(KEY)));
    swapped = made("{ \"enc\" : \"A128GCM\",\n\"alg\":\"\\u0064ir\"}", r#"{"sub":"ACC","exp":1}"#);
    assert!(opens(&swapped), "white space and escapes stay as received");
}

#[test]
fn another_key_opens_nothing_and_leaves_the_credential_for_the_next() {
    let other: [u8; 16] = std::array::from_fn(|at| KEY[15 - at]);
    for vector in [V1, V2] {
        let mut jwe = Jwe::parse(vector).unwrap();
        assert!(!jwe.open(&cipher(other)));
        assert!(jwe.open(&cipher(KEY)));
    }
}

#[test]
fn other_algorithms_are_refused() {
    let claims = r#"{"sub":"ACC","exp":1}"#;
    for header in [
        r#"{"alg":"A128KW","enc":"A128GCM"}"#,
        r#"{"alg":"dir","enc":"A256GCM"}"#,
        r#"{"alg":"DIR","enc":"A128GCM"}"#,
        r#"{"alg":"dir"}"#,
        r#"{"alg":null,"enc":"A128GCM"}"#,
        r#"{"alg":["dir"],"enc":"A128GCM"}"#,
        r#"["dir","A128GCM"]"#,
        "dir",
        "",
    ] {
        assert_eq!(Jwe::parse(&made(header, claims)).unwrap_err(), Malformed, "{header}");
    }
}

#[test]
fn unknown_and_repeated_header_members_do_no_harm() {
    let claims = r#"{"sub":"ACC","exp":1}"#;
    for header in [
        r#"{"kid":{"a":[1,null]},"alg":"dir","enc":"A128GCM","kid":1}"#,
        r#"{"alg":"none","alg":"dir","enc":"A128GCM"}"#,
    ] {
        assert!(opens(&made(header, claims)), "{header}");
    }
    assert!(Jwe::parse(&made(r#"{"alg":"dir","enc":"A128GCM","alg":"none"}"#, claims)).is_err());
}

#[test]
fn lengths_are_exact() {
    for (segment, bytes) in [(2, 11), (2, 13), (4, 15), (4, 17), (2, 0), (4, 0)] {
        let mut parts = segments(V2);
        parts[segment] = URL_SAFE_NO_PAD.encode(vec![1; bytes]);
        assert_eq!(Jwe::parse(&parts.join(".")).unwrap_err(), Malformed);
    }
    for text in
        ["", ".", "....", &format!("{V2}."), &V2.replacen('.', "", 1), &format!("{V2}="), &format!(" {V2}")]
    {
        assert_eq!(Jwe::parse(text).unwrap_err(), Malformed, "{text}");
    }
}

#[test]
fn eight_kibibytes_are_read_and_one_byte_more_is_not() {
    let padded = |filler: usize| {
        made(
            r#"{"alg":"dir","enc":"A128GCM"}"#,
            &format!(r#"{{"sub":"ACC","exp":1,"x":"{}"}}"#, "x".repeat(filler)),
        )
    };
    let fits = (0..MAX_JWE).map(padded).find(|text| text.len() >= MAX_JWE).unwrap();
    assert_eq!(fits.len(), MAX_JWE);
    assert!(opens(&fits));
    assert!(Jwe::parse(&format!("{fits}A")).is_err());
}

#[test]
fn claims_are_read_as_far_as_they_are_needed() {
    let claims = |text: &str| {
        let text = made(r#"{"alg":"dir","enc":"A128GCM"}"#, text);
        let mut jwe = Jwe::parse(&text).unwrap();
        assert!(jwe.open(&cipher(KEY)));
        jwe.claims().map(|claims| (claims.sub.map(Cow::into_owned), claims.exp))
    };
    let both = |sub: &str, exp| Ok((Some(sub.to_owned()), exp));
    assert_eq!(claims(r#"{"sub":"ACC","exp":12.9,"aud":["a",{"b":1}]}"#), both("ACC", 12));
    assert_eq!(claims(r#"{"exp":18446744073709551615,"sub":"\u0041CC"}"#), both("ACC", i64::MAX));
    assert_eq!(claims(r#"{"exp":-5,"sub":null}"#), Ok((None, -5)));
    for text in
        ["", "[]", "{}", "nothing", r#"{"sub":"ACC"}"#, r#"{"sub":1,"exp":1}"#, r#"{"sub":"ACC","exp":"1"}"#]
    {
        assert_eq!(claims(text), Err(Malformed), "{text}");
    }
}

proptest! {
    #[test]
    fn no_text_panics_or_opens(text in "[A-Za-z0-9_.=-]{0,200}|.{0,80}") {
        prop_assert!(!opens(&text));
    }

    #[test]
    fn no_plaintext_panics(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let jwe = Jwe { header: "", nonce: [0; 12], tag: [0; 16], body: bytes };
        let _ = jwe.claims();
    }
}
