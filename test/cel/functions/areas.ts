/**
 * Areas of functions: texts to begin with, parts that are put into them, and what is asked.
 *
 * @module
 */

/** Texts of one sort. */
export interface Area {
  /** Texts that people write, and what stands at the edge. */
  readonly texts: readonly string[];
  /** Of such texts the second of a pair is made. */
  readonly more?: readonly string[];
  /** What is put into texts. */
  readonly parts: readonly string[];
  /** Texts that are not asked: a real server has no bound on what they take. */
  readonly skip?: RegExp;
  /** How many pairs are drawn. */
  readonly count: number;
  /** Expressions with `s` and `t`. */
  readonly expressions?: readonly string[];
  /** Formats of schemas that are asked whether they have `s`. */
  readonly formats?: readonly string[];
}

const URLS: Area = {
  texts: [
    "http://h/",
    "https://user:pass@example.com:8080/a/b%20c?q=1&r=a+b&q=2#frag",
    "http://[::1]:80/x",
    "http://[fe80::1%25en0]:80/a",
    "http://[fe80::1%en0]/",
    "mailto:a@b?subject=x",
    "oci://ghcr.io/x/y:1",
    "ghcr.io/x/y:1",
    "file:///a/b",
    "/a/b?x=y#z",
    "//h/p",
    "////x",
    "*",
    "",
    ":",
    "#%blah$#@",
    "http://h%C3%A9/",
    "http://h/ä b?ü=ö",
    "http://h^?",
    "a+b://h{}/a",
    "1a://h",
    "http:/[1.2.3.4]?",
    "HTTP://%?%41=1",
    "http://u:p:q@h/%zz",
    "http://user name@h/",
    "urn:isbn:1?+x",
    "http://h?a;b&c=d;e&%zz=1&x=%41%42&=v&k",
    "http://h/a%2Fb(c)!'*;[]",
    "http://h:/",
    "http://h:a/",
    "http://a:1:2/",
    "http://h:%31/",
    "http://[::1/",
    "http://[::1]a/",
    "http://%41/",
    "http://h/\u007f",
    "x://a b/",
    "http://<h>/",
    'http://"h"/',
    "http://h/<a>",
    "cache_object:foo/bar",
    "a/b:c",
    "http://h\\x",
    "http://u%40:p%3a@h",
    "http://h??a#",
    "/*?#",
    "http://h/*",
    "a:*",
    "//",
    "http://",
    "http://@h",
    "http://h/.//..",
    "x:/a//b",
    "x://a?#",
  ],
  parts: [..."abz0%:/?#[]@!$&'()*+,;= .-_~\"<>\\^`{|}\u00e4\u00a0\ud83d\ude00".split(""), "%2", "%41", "%2F", "%20", "%25", "::", "//", "\u00e4", "\t", "\n"].filter((part) => part.length > 0 && !/^[\ud800-\udfff]$/.test(part)),
  count: 700,
  expressions: [
    "url(s)",
    "isURL(s)",
    "url(s).getScheme()",
    "url(s).getHost()",
    "url(s).getHostname()",
    "url(s).getPort()",
    "url(s).getEscapedPath()",
    "url(s).getQuery()",
    "format.uri().validate(s)",
  ],
  formats: ["uri"],
};

const ADDRESSES: Area = {
  texts: [
    "1.2.3.4", "0.0.0.0", "255.255.255.255", "01.2.3.4", "1.2.3", "1.2.3.4.5", "256.1.1.1", "1.2.3.", ".1.2.3", "1..2.3", "", "a", "::", "::1", "fe80::1", "fe80::1%en0", "::ffff:1.2.3.4", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8:9", "1::2::3", ":1", "1:", "12345::", "::1.2.3.4", "1:2:3:4:5:6:1.2.3.4", "FF02::1", "2001:db8::/32", "10.0.0.0/8", "10.0.0.0/33", "10.0.0.0/08", "10.0.0.0/", "/8", "fe80::1%en0/64", "::ffff:10.0.0.0/104", "10.0.0.1/8/9", "1.2.3.4/+8", "1.2.3.4/-1", "::/0", "::/128", "::/129", "127.0.0.1", "224.0.0.1", "169.254.1.1", "1%25::", "1.2.3.4%a", "::%", "1.2.3.4 ", "0001::", "00001::", "1.2.3.0004", "::g", "1.2.3.x",
  ],
  more: ["1.2.3.4/8", "10.0.0.0/8", "::/0", "fe80::/10", "1.2.3.4", "::1", "10.1.0.0/16"],
  parts: [..."0123456789abcdefgxF:./% -", "::", "/8", "%e", "255", "ffff:"],
  count: 450,
  expressions: ["ip(s)", "isIP(s)", "ip.isCanonical(s)", "cidr(s)", "isCIDR(s)", "cidr(s).masked()", "cidr(s).containsIP(t)", "cidr(s).containsCIDR(t)", "cidr(t).containsCIDR(s)", "[ip(s).family()]", "[ip(s).isLoopback(), ip(s).isUnspecified(), ip(s).isGlobalUnicast(), ip(s).isLinkLocalUnicast(), ip(s).isLinkLocalMulticast()]"],
  formats: ["ipv4", "ipv6", "cidr"],
};

const VERSIONS: Area = {
  texts: ["1.2.3", "v1.2.3", " 1.2.3", "1.2.3 ", "v1.2.3-rc1 ", "1.2.-0", "v01.02.03", "1.2+x", "1.2", "1", "", "v", "1.2.3-alpha.1+build.5", "1.2.3-01", "1.2.3-0a", "1.2.3+", "1.2.3-", "1.2.3-a..b", "1.2.3+a..b", "1.2.3.4", "18446744073709551615.0.0", "18446744073709551616.0.0", "0.0.0", "1.2.3-a+b-c", "1.2.3+b-c", "01.2.3", "1.2.03", "1.2.0-", "0x1.2.3", "1.2.3-ä", "-1.2.3", "1.-2.3", "V1.2.3", "vv1.2.3", "1.2-rc", "001", "v0", "1..3", "..", "1.2.00", "1.2.0a"],
  more: ["1.2.3", "1.2.3-alpha", "1.2.3-alpha.1", "1.2.3-1", "1.2.3-2", "1.2.3-11", "2.0.0", "1.2.3+b"],
  parts: [..."0123.-+abv xä", "..", "00", "-rc", "+b", "v"],
  count: 350,
  expressions: ["semver(s)", "isSemver(s)", "isSemver(s, true)", "semver(s, true)", "semver(s).compareTo(semver(t))", "[semver(s, true).major(), semver(s, true).minor(), semver(s, true).patch()]", "semver(s) == semver(t)", "semver(s).isLessThan(semver(t))"],
};

const QUANTITIES: Area = {
  texts: ["1", "+1", "-1", "1Ki", "1.5Gi", "+Pi", "Ki", "1e3", "1E3", "1e", "1E", "1.", ".5", ".", "", "1m", "1n", "1u", "0.1n", "0.5n", "100m", "1k", "1K", "1Kii", "1ki", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "1e18", "1e19", "1e30", "1e-3", "1e-9", "1e-10", "12E", "8Ei", "7Ei", "16Ei", "0.000000001Ki", "1.1Ki", "1 ", " 1", "1e+3", "1e3.5", "--1", "1.2.3", "0", "-0", "0Ki", "00012", "1.000", "1000", "1024", "1500m", "1.5", "0.001", "0.0001", "999999999999999999999", "1Mi", "1M", "1T", "1P", "3.14159", "-1.5Ki", "2000000", "+.5", "+.", "5e0", "1000000e-3"],
  more: ["1", "1Ki", "-1", "1500m", "0", "1e3", "0.1n", "1Gi", "9223372036854775807", "1E"],
  skip: /[eE][+-]?\d{3}/,
  parts: [..."0123456789.+-eEinumkKMGTP ", "Ki", "Mi", "e3", "e-3", "00", "999"],
  count: 500,
  expressions: ["quantity(s)", "isQuantity(s)", "sign(quantity(s))", "quantity(s).isInteger()", "quantity(s).asInteger()", "quantity(s).asApproximateFloat()", "quantity(s).compareTo(quantity(t))", "quantity(s).add(quantity(t))", "quantity(s).sub(quantity(t))", "quantity(s).add(7)", "quantity(s).sub(-1)", "quantity(s).add(quantity(t)).isInteger()", "quantity(s).sub(7).asInteger()", "quantity(s).add(quantity(t)).asApproximateFloat()", "quantity(s).sub(quantity(t)).sub(quantity(s))", "quantity(s) == quantity(t)"],
};

const TEXTS: Area = {
  texts: ["", "a", "abc", "-a", "abcabc", "a,b,c", " a b ", "\u0085x\u00a0", "\u2028x\u3000", "\u200bx\ufeff", "a\u{1f600}b", "\u{1f600}\u{1f601}", "\u00e4\u00f6\u00fcABC\u00df", "\u0130I\u0131i", "aaa", "ab\u0000c", "\t\n\v\f\r x", '"\\\u0007\b', "%s %d", "aXbXc", "\u1680x\u180e", "\u001cx\u001f", "x\u2000\u200a", "a\u0301", "ABCxyz", "\u{10ffff}", "\ufffd"],
  more: ["", "a", "b", "c", "abc", ",", " ", "\u{1f600}", "\u00e4", "aa", "bc", "X"],
  parts: ["a", "b", "c", "A", "Z", " ", ",", "\u{1f600}", "\u00e4", "\u00a0", "\t", "X", "\u2003", '"', "\\", "\u0001", "-"],
  count: 250,
  expressions: [
    "s.trim()", "s.lowerAscii()", "s.upperAscii()", "strings.quote(s)", "size(s)", "bytes(s)", "string(bytes(s))", "s < t", "s + t", "s.contains(t)", "s.startsWith(t)", "s.endsWith(t)",
    "s.split(t)", "s.split(t, 0)", "s.split(t, 1)", "s.split(t, 2)", "s.split(t, -2)", "s.split(t, 9)",
    "s.replace(t, 'xy')", "s.replace(t, '')", "s.replace(t, 'z', 0)", "s.replace(t, 'z', 1)", "s.replace(t, 'z', 2)", "s.replace(t, '\\U0001F600', -1)", "s.replace('a', t)",
    "s.indexOf(t)", "s.lastIndexOf(t)",
    ...[-1, 0, 1, 2, 3, 5, 9].flatMap((n) => [`s.charAt(${n})`, `s.indexOf(t, ${n})`, `s.lastIndexOf(t, ${n})`, `s.substring(${n})`]),
    "s.substring(0, 0)", "s.substring(1, 2)", "s.substring(2, 1)", "s.substring(-1, 1)", "s.substring(0, -1)", "s.substring(0, 3)", "s.substring(3, 4)", "s.substring(1, 99)", "s.substring(99, 99)",
    "[s, t, s].join(t)", "[s, t].join()", "'<%s>'.format([s])", "[s, t].sort()", "s in [t, 'a']", "{s: 1, t: 2}", "{s: 1}[t]", "{s: 1}[?t]", "t in {s: 1}",
  ],
};

const NUMBERS: Area = {
  texts: ["", "0", "1", "-1", "+1", "-0", "00", "01", "1_000", "0x10", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "18446744073709551615", "18446744073709551616", "1.5", ".5", "5.", "1e3", "1E-3", "1e400", "-1e400", "1e-400", "inf", "Inf", "+Inf", "-inf", "infinity", "-Infinity", "NaN", "nan", "-nan", "+nan", "0x1p3", "0x1.8p1", "0x1", "1_0.5", "0.1", "123456789.123", "1e21", "1e20", "1234567", "0.00001", "0.0001", "true", "TRUE", "True", "t", "T", "tRUE", "false", "F", " 1", "1 ", "1e", "e1", "--1", "4.9e-324", "2.5e-324", "1.7976931348623157e308", "1.7976931348623159e308", "0.30000000000000004", "100000", "1000000", "12345678", "9007199254740993"],
  parts: [..."0123456789.+-eEx_pinfNaty ", "inf", "00", "e5", "e-5"],
  count: 350,
  expressions: ["int(s)", "uint(s)", "double(s)", "bool(s)", "string(double(s))", "'%f'.format([double(s)])", "'%s'.format([[double(s), {'a': double(s)}]])", "'%s'.format([{int(s): t}])", "'%.0f'.format([double(s)])", "'%.3e'.format([double(s)])", "'%.30f'.format([double(s)])", "dyn([8, 9])[?int(s)]", "[int(s), -2].sum()", "[double(s), 1.0].max()", "[double(s), 1.0].min()", "[1.0, double(s)].max()", "[double(s), 1.0].isSorted()", "[double(s), 1.0].indexOf(double(s))", "double(s) in [1.0, 1e21]", "double(s) in dyn([1, 'a', 0u])", "{1: 'a', 1u: 'b'}.size()", "{dyn(int(s)): 1, dyn(uint(s)): 2}", "{dyn(int(s)): 1, dyn(uint(s)): 2}[int(s)]", "{dyn(int(s)): 1, dyn(uint(s)): 2}[dyn(double(s))]", "{dyn(uint(s)): 1}[?dyn(int(s))]", "{dyn(int(s)): 1}[?dyn(uint(s))]", "{dyn(int(s)): 1} == {dyn(uint(s)): 1}", "{double(s): 1}", "{double(s): 1}[?dyn(int(s))]", "{double(s): 1}[?double(s)]", "dyn(int(s)) in {dyn(uint(s)): 1}", "dyn({1: 'a', 2u: 'b'})[double(s)]", "'%e'.format([double(s)])", "'%.3f'.format([double(s)])", "'%s'.format([double(s)])", "'%d'.format([int(s)])", "'%x'.format([int(s)])", "'%b'.format([int(s)])", "'%o'.format([int(s)])", "'%X'.format([uint(s)])", "int(double(s))", "uint(double(s))", "double(int(s))", "double(s) < 1.5", "double(s) == 0.0", "int(s) % -1", "int(s) / -1", "-int(s)", "int(s) - 1", "int(s) * 2", "int(s) + 1", "uint(s) - 1u", "uint(s) + 1u", "uint(s) * 2u", "timestamp(int(s))", "-double(s)", "double(s) / 0.0", "double(s) * 0.0", "duration(s)", "int(s) == double(s)", "dyn(int(s)) == dyn(double(s))", "int(s) < double(s)", "uint(s) < double(s)", "{1: 'a'}[?int(s)]", "dyn({1: 'a'})[?double(s)]", "dyn([1, 2])[?double(s)]", "[7, 8][int(s)]", "dyn([7, 8])[double(s)]"],
};

const TIMES: Area = {
  texts: ["2024-01-01T00:00:00Z", "2024-01-01t00:00:00z", "2024-02-29T12:34:56.789Z", "2023-02-29T00:00:00Z", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999999Z", "9999-12-31T23:59:59-01:00", "0001-01-01T00:00:00+01:00", "0000-01-01T00:00:00Z", "2024-01-01T00:00:00", "2024-01-01 00:00:00Z", "2024-01-01T24:00:00Z", "2024-01-01T23:60:00Z", "2024-01-01T23:59:60Z", "2024-01-01T00:00:00+05:30", "2024-01-01T00:00:00+0530", "2024-01-01T00:00:00+24:00", "2024-01-01T00:00:00+23:60", "2024-01-01T00:00:00-00:00", "2024-01-01T00:00:00.Z", "2024-01-01T00:00:00,5Z", "2024-01-01T00:00:00.1234567891234Z", "2024-1-01T00:00:00Z", "2024-01-01T0:00:00Z", "20240101T000000Z", "2024-03-10T12:00:00Z", "2024-07-04T23:30:00-08:00", "1969-12-31T23:59:59.5Z", "1900-01-01T00:00:00Z", "12024-01-01T00:00:00Z", "-001-01-01T00:00:00Z", "2024-13-01T00:00:00Z", "2024-00-01T00:00:00Z", "2024-04-31T00:00:00Z", "2024-01-01T00:00:00+00:00Z", "2024-01-01T00:00:00 Z", "2024-01-01T1:00:00Z", "2024-01-01T00:00:00+1:00"],
  more: ["UTC", "", "+05:30", "-05:30", "-0530", "05:30", "America/New_York", "Europe/Berlin", "Asia/Kolkata", "Local", "local", "utc", "Z", "+24:00", "+5:3", "-00:30", "99:99", "Foo/Bar", "GMT", "Etc/GMT+5", "+05", "-08:00", "EST", "../UTC", "+-5:00", "5:x", "-0:-5", ":30", "10:", "1:2:3", "Asia/Kathmandu", "US/Pacific", "America/new_york", "\u00e4"],
  parts: [..."0123456789-:.TtZz+ ,", "00", "T", "-05:00", "+1"],
  count: 400,
  expressions: ["timestamp(s)", "string(timestamp(s))", "timestamp(s).getHours(t)", "timestamp(s).getFullYear(t)", "timestamp(s).getDayOfWeek(t)", "timestamp(s).getDayOfYear(t)", "timestamp(s).getMinutes(t)", "timestamp(s).getDate(t)", "timestamp(s).getMonth(t)", "timestamp(s).getMilliseconds()", "timestamp(s).getSeconds(t)", "int(timestamp(s))", "timestamp(s) + duration('1h')", "timestamp(s) - duration('1ns')", "timestamp(s) - timestamp('2024-01-01T00:00:00Z')", "'%s'.format([timestamp(s)])", "format.datetime().validate(s)", "format.date().validate(s)"],
  formats: ["date", "datetime", "date-time"],
};

const DURATIONS: Area = {
  texts: ["1h", "1h30m", "-1.5s", "0", "0s", "+5m", "1.5h", ".5s", "5.s", ".s", "", "1", "1d", "1w", "22 ns", "3 weeks", "1 day", "2hours", "5 Minutes", "1us", "1µs", "1μs", "9223372036854775807ns", "9223372036854775808ns", "-9223372036854775808ns", "2562047h47m16.854775807s", "2562047h47m16.854775808s", "1h-1m", "1 h", "h", "1hh", "100000000h", "99999999999999999999s", "1ms1", "0.000000001s", "0.0000000001s", "1.1.1s", "1h ", "--1s", "1S", "1M", "- 1 day", "x 1 d y", "1 sec", "1 milli", "10 micros", "1 nanosecond", "1dayz", "1 weekz", "1hourly", "1 mi", "1 minz"],
  parts: [..."0123456789.-+ hmsnudwkµ", "1h", "ms", "us", " ", "day", "sec"],
  count: 350,
  expressions: ["duration(s)", "string(duration(s))", "[duration(s).getHours(), duration(s).getMinutes(), duration(s).getSeconds(), duration(s).getMilliseconds()]", "int(duration(s))", "duration(s) + duration('1ns')", "-duration(s)", "duration(s) < duration('1h')", "timestamp('2024-01-01T00:00:00Z') + duration(s)", "'%s'.format([duration(s)])"],
  formats: ["duration"],
};

const NAMES: Area = {
  texts: ["a", "abc", "a-b", "-a", "a-", "A", "a.b", "a..b", ".a", "a.", "", "1a", "a/b", "a.b/c", "a/b/c", "/b", "a/", "A.b/c", "a_b", "_", "MyValue", "my.value-", "x".repeat(63), "x".repeat(64), `${"x".repeat(63)}-`, "x".repeat(253), "x".repeat(254), `${"x".repeat(64)}.b`, `a/${"x".repeat(64)}`, `${"x".repeat(254)}/a`, "\u00e4", "a b", "a--b", "1", "9-", "a.-", "a-.", "--", "-", "a1.b2.c3", "kubernetes.io/hostname", "123e4567-e89b-12d3-a456-426614174000", "123E4567E89B12D3A456426614174000", "aGVsbG8=", "aGVsbG8", "aGVs", "a===", "ab==", "a+/=", "a-_=", "2021-01-01", "2021-02-30", "2021-1-1"],
  parts: [..."abzAZ019-._/ =+", "\u00e4", "..", "--", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"],
  count: 300,
  expressions: ["dns1123Label", "dns1123Subdomain", "dns1035Label", "qualifiedName", "dns1123LabelPrefix", "dns1123SubdomainPrefix", "dns1035LabelPrefix", "labelValue", "uuid", "byte", "date"].map((name) => `format.${name}().validate(s)`).concat("format.named(s)"),
  formats: ["k8s-short-name", "k8s-long-name", "hostname", "uuid", "uuid3", "uuid4", "uuid5", "byte"],
};

const MAIL: Area = {
  texts: ["a@b", "a.b@c.d", "A <a@b>", '"A B" <a@b>', "<a@b>", "a@b>", "<a@b", "a", "@b", "a@", "", "a@b@c", "a@[1.2.3.4]", "a@[::1]", "a@[", "a@[]", '"a b"@c', '"a\\"b"@c', '""@c', "a..b@c", ".a@b", "a.@b", "a@b.", "a@.b", "a@b..c", "A B <a@b>", "A. B <a@b>", "(c) a@b", "a@b (c)", "a@b (c", "a(c)@b", "a @b", "a@ b", "a@b, c@d", "g: a@b;", "g: a@b, c@d;", "g:;", "\u00e4@b", "a@\u00e4", "\u00e4 <a@b>", "=?utf-8?q?=C3=A4?= <a@b>", "=?utf-8?b?w6Q=?= <a@b>", "=?x?q?a?= <a@b>", "=?utf-8?q?=C3?= <a@b>", " a@b ", "a@b c", "<a@b> c", "A <a@b> (x)", "A<a@b>", "a!#$%&'*+-/=?^_`{|}~@b", "a\\b@c", "a@b\\c", '"a" "b" <a@b>', "<@x:a@b>", "<a>", "a:b@c", "a;b@c", "a\t@b", "\ta@b", "a@b\t", '"\u00e4"@b', '"a\tb"@c', "((a)b) a@b", "(a\\)b) a@b", "a.b <a@b>", "a, b <a@b>", "x@[a b]", "x@[a\\]b]", "\u0001@b", '"\u0001"@b', "\u{1f600}@b", "a@b\n", "a\r\n @b", `${"x".repeat(400)}@b`],
  parts: [..."ab.@<>\"\\()[]:;, !\t=?", "\u00e4", "<a@b>", '"a"', "(c)", "\n", "=?utf-8?q?a?=", "\u0001"],
  count: 500,
  formats: ["email"],
};

const HOSTS: Area = {
  texts: ["a", "a.b", "example.com", "EXAMPLE.com", "a-b.com", "-a.com", "a-.com", "a_b.com", "1.com", "1.2.3.4", "com.", ".com", "", "a..b", "\u00e4.de", "\u{1f600}.com", "a.\u{1f600}", "x.c", "x.co1", "x".repeat(63), "x".repeat(64), "x".repeat(65), `${"x".repeat(63)}.com`, `${"x".repeat(64)}.com`, `a.${"x".repeat(63)}`, `a.${"x".repeat(64)}`, `${"abc.".repeat(63)}com`, `${"abc.".repeat(64)}com`, "\u00e4".repeat(31), "\u00e4".repeat(32), "a-b", "a--b", "-", "a-", "a$b", "$", "a+b.com", "a=b", "a b", "a^b.com", "\u0e01.com", "\u{1d11e}.com", "a\u0301.com", "a-bcd-e", "ab-c", "a\n", "a.com\n"],
  parts: [..."abzA01-._ $+", "\u00e4", "\u{1f600}", "\u0301", ".com", "--", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"],
  count: 400,
  formats: ["hostname"],
};

const CODES: Area = {
  texts: ["507f1f77bcf86cd799439011", "507f1f77bcf86cd79943901", "507f1f77bcf86cd79943901g", "01:23:45:67:89:ab", "01-23-45-67-89-AB", "0123.4567.89ab", "01:23:45:67:89:ab:cd:ef", "0123.4567.89ab.cdef", "01:23-45:67:89:ab", "1:2:3:4:5:6", "00:00:00:00:fe:80:00:00:00:00:00:00:02:00:5e:10:00:00:00:01", "0321751043", "978-0321751041", "978 0321751041", "032175104X", "0-8044-2957-X", "0-8044-2957-x", "4111111111111111", "4111 1111 1111 1111", "5500-0000-0000-0004", "340000000000009", "30000000000004", "6011000000000004", "201400000000009", "2131000000000008", "123-45-6789", "123 45 6789", "123456789", "12345-6789", "123-456789", "#FFF", "FFFFFF", "#ffff", "#12345g", "rgb(1,2,3)", "rgb(255, 255, 255)", "rgb(256,0,0)", "rgb(100,200,00)", "rgb( 1 , 2 , 3 )", "rgb(1,2)", "RGB(1,2,3)", "rgb(1,2,3) ", "rgb(199,19,9)", "rgb(\u00a01,2,3)", "rgb(\v1,2,3)", "", "0 32175104\u00a03", "97803\u200921751041", "\u0661\u0662\u0663-45-6789", "aGVsbG8=", "aGVsbG8", "YQ==", "YQ=", "a b=", "YWJj\n", "----", "_-_=", "123e4567-e89b-12d3-a456-426614174000", "123e4567-e89b-32d3-a456-426614174000", "123e4567-e89b-42d3-a456-426614174000", "123e4567-e89b-52d3-a456-426614174000", "123e4567e89b42d3c456426614174000", "a\u017f3e4567-e89b-12d3-a456-426614174000"],
  parts: [..."0123456789abfFgX-:., #()=", "\u00a0", "\t", "\n", "rgb(", "\u0661", "\u212a", "\u017f"],
  count: 450,
  formats: ["bsonobjectid", "mac", "isbn", "isbn10", "isbn13", "creditcard", "ssn", "hexcolor", "rgbcolor", "byte", "uuid", "uuid3", "uuid4", "uuid5", "password"],
};

const PATTERNS: Area = {
  texts: ["", "a", "aaa", "abcabc", "a1b22", "\u00e4b\u{1f600}", "A", "a\nb", "foo.bar", "2024-01-01"],
  more: ["a*", "a+", "[0-9]+", "", "(a)(b)?", "^a", "b$", "(?i)A", ".", "\\d", "\\p{L}", "(", "[", "a{2}", "a{1001}", "(?=a)", "\\b", "\\pN", "x*", "(?s).", "(?m)^b", "[[:alpha:]]", "\\z", "\\Q.\\E", "(?P<n>a)", "(?<n>a)", "\\1", "a**", "*", "\\C", "\\x{61}", "\\u0061", "a|b|", "[^a]", "(?U)a+"],
  parts: [..."ab1.*+?()[]|^$\\d"],
  count: 200,
  expressions: ["s.matches(t)", "s.find(t)", "s.findAll(t)", "s.findAll(t, 1)", "s.findAll(t, 0)", "s.findAll(t, -1)"],
};

/** Values of each type. */
const VALUES = [
  "null",
  "true",
  "1",
  "2u",
  "1.5",
  "'s'",
  "b'x'",
  "[]",
  "[7, 8]",
  "{}",
  "{'f': 1}",
  "{'f': null}",
  "{1: 'a'}",
  "duration('1s')",
  "timestamp('2024-01-01T00:00:00Z')",
  "int",
  "optional.none()",
  "optional.of({'f': {'g': 1}})",
  "url('/a')",
  "quantity('1')",
  "ip('::1')",
  "cidr('::/0')",
  "semver('1.2.3')",
  "format.date()",
  "google.protobuf.Value{}",
];

/** What is done with a value of which nothing is known, `V`. */
const LOOKS = [
  "V.f", "has(V.f)", "V.?f", "V.?f.g", "V.f.g", "has(V.f.g)", "V[0]", "V['f']", "V[1.0]", "V[0u]", "V[true]", "V[?0]", "V[?'f']", "V[?true]", "V[?1.5]", "V[dyn(null)]", "V[dyn([])]", "V[?dyn(b'x')]", "V[?'f'].g", "V.f == 1", "V.?f.orValue(2)", "optional.of(V).f", "optional.of(V)[?0]", "optional.ofNonZeroValue(V)",
  "V.map(x, x)", "V.all(x, true)", "V.exists(x, x == 1)", "V.exists_one(x, true)", "V.filter(x, true)", "V.all(i, x, true)", "V.transformList(i, x, x)", "V.transformMap(i, x, x)", "1 in V", "'f' in V", "V in [1]", "V in {'f': 1}", "V in V",
  "size(V)", "V.size()", "!V", "-V", "V + 1", "1 + V", "V + 's'", "V - 1", "V * 2", "V / 2", "V % 2", "V < 1", "V >= 's'", "1 < V", "V == 1", "V == V", "V != null", "V ? 1 : 2", "V && true", "true && V", "false || V", "V || true",
  "int(V)", "uint(V)", "double(V)", "string(V)", "bytes(V)", "bool(V)", "duration(V)", "timestamp(V)", "type(V)", "dyn(V)", "{V: 1}", "[V]", "{'a': V}.a", "'%s'.format([V])", "'%d'.format([V])", "'%x'.format([V])", "'%e'.format([V])",
  "V.startsWith('a')", "'a'.startsWith(V)", "V.contains('a')", "V.matches('a')", "V.find('a')", "V.findAll('a')", "V.charAt(0)", "'a'.charAt(V)", "V.indexOf('a')", "V.lastIndexOf('a', 1)", "V.lowerAscii()", "V.trim()", "V.replace('a', 'b')", "V.split(',')", "V.substring(1)", "V.join()", "V.join(',')", "V.format([])", "strings.quote(V)",
  "V.getHours()", "V.getFullYear()", "V.getHours('UTC')", "V.getHost()", "url(V)", "isURL(V)", "ip(V)", "isIP(V)", "cidr(V)", "V.containsIP('::1')", "V.containsCIDR('::/0')", "V.containsIP(V)", "V.family()", "V.masked()", "V.ip()", "quantity(V)", "isQuantity(V)", "sign(V)", "V.isInteger()", "V.asInteger()", "V.add(1)", "V.sub(V)", "V.compareTo(V)", "V.isLessThan(V)", "semver(V)", "semver(V, true)", "isSemver(V)", "V.major()", "V.validate('a')", "format.named(V)", "V.isSorted()", "V.sum()", "V.min()", "V.max()", "V.sort()", "V.indexOf(1)", "V.sets()", "sets.contains(V, [1])", "sets.intersects([1], V)", "sets.equivalent(V, V)", "V.hasValue()", "V.value()", "V.or(optional.of(1))", "V.orValue(1)", "V.optMap(x, x)", "V.optFlatMap(x, optional.of(x))", "V.unknown()", "unknown(V)",
];

const DYN: Area = {
  texts: [""],
  parts: [],
  count: 1,
  expressions: LOOKS.flatMap((look) => VALUES.map((value) => look.replaceAll(/\bV\b/g, `dyn(${value})`))),
};

/** The same with a value that is only known when the expression runs. */
const LATE: Area = {
  texts: [""],
  parts: [],
  count: 1,
  expressions: LOOKS.flatMap((look) => VALUES.map((value) => `[dyn(${value})].map(v, ${look.replaceAll(/\bV\b/g, "v")})`)),
};

/** Literals of messages. */
const MESSAGES: Area = {
  texts: [""],
  parts: [],
  count: 1,
  expressions: [
    ...["Value", "Struct", "ListValue", "Timestamp", "Duration", "Any", "BoolValue", "BytesValue", "DoubleValue", "FloatValue", "Int32Value", "Int64Value", "StringValue", "UInt32Value", "UInt64Value", "Empty", "FieldMask", "NullValue", "Nothing"].flatMap((name) => {
      const full = `google.protobuf.${name}`;
      return [
        `${full}{}`, `type(${full}{})`, `${full}`, `.${full}{}`, `${name}{}`, `protobuf.${name}{}`, `${full}{value: 1}`, `${full}{value: 's'}`, `${full}{value: true}`, `${full}{value: b'x'}`, `${full}{value: 1.5}`, `${full}{value: 2u}`, `${full}{value: null}`, `${full}{nothing: 1}`, `${full}{seconds: 1, nanos: 5}`, `${full}{seconds: 1u}`, `${full}{values: [1]}`, `${full}{fields: {'a': 1}}`, `${full}{?value: optional.of(1)}`, `${full}{?value: optional.none()}`, `${full}{} == ${full}{}`, `${full}{} == null`, `has(${full}{}.value)`, `${full}{}.value`, `${full}{value: dyn('s')}`, `${full}{value: dyn(1)}`, `${full}{,}`, `${full}{value: 1,}`, `${full}{value: 1, value: 2}`,
      ];
    }),
    "google.protobuf.Value{number_value: 1.5}", "google.protobuf.Value{string_value: 's'}", "google.protobuf.Value{bool_value: true}", "google.protobuf.Value{null_value: null}", "google.protobuf.Value{null_value: google.protobuf.NullValue.NULL_VALUE}", "google.protobuf.Value{struct_value: {'a': 1.0}}", "google.protobuf.Value{list_value: [1.0, 's']}", "google.protobuf.Value{number_value: 1}", "google.protobuf.Value{number_value: 1.0} == 1", "google.protobuf.Value{string_value: 's'} == 's'", "google.protobuf.Value{number_value: 1.0, string_value: 's'}", "google.protobuf.Struct{fields: {'a': google.protobuf.Value{string_value: 's'}}}", "google.protobuf.Struct{fields: {'a': 1.0}}.a", "google.protobuf.Struct{fields: {'a': 1.0}}['a']", "google.protobuf.Struct{fields: {1: 1.0}}", "google.protobuf.Struct{fields: {'a': 1.0}} == {'a': 1.0}", "google.protobuf.ListValue{values: [google.protobuf.Value{number_value: 1.0}, 's', null]}", "google.protobuf.ListValue{values: [1.0]}[0]", "google.protobuf.ListValue{values: ['a']} == ['a']", "size(google.protobuf.ListValue{values: ['a']})", "google.protobuf.Int32Value{value: 2147483648}", "google.protobuf.Int32Value{value: -2147483649}", "google.protobuf.UInt32Value{value: 4294967296u}", "google.protobuf.FloatValue{value: 1e300}", "google.protobuf.FloatValue{value: 1.1}", "google.protobuf.Int32Value{value: 1} == 1", "google.protobuf.Int64Value{value: 5} + 1", "google.protobuf.StringValue{value: 'a'} + 'b'", "google.protobuf.BoolValue{value: true} ? 1 : 2", "google.protobuf.Timestamp{seconds: 1} == timestamp('1970-01-01T00:00:01Z')", "google.protobuf.Timestamp{seconds: 253402300800}", "google.protobuf.Timestamp{nanos: -1}", "google.protobuf.Duration{seconds: 1, nanos: 5} == duration('1.000000005s')", "google.protobuf.Duration{seconds: 1, nanos: -5}", "google.protobuf.Duration{seconds: 9223372036854775807}", "google.protobuf.Duration{seconds: 1}.getSeconds()", "google.protobuf.Timestamp{seconds: 86400}.getDate()", "google.protobuf.Any{type_url: 'type.googleapis.com/google.protobuf.Duration', value: b'\\x08\\x01'}", "google.protobuf.Any{type_url: 'type.googleapis.com/google.protobuf.StringValue', value: b'\\x0a\\x01a'}", "google.protobuf.Any{type_url: 'x'}", "google.protobuf.Any{}", "google.protobuf.NullValue.NULL_VALUE", "[google.protobuf.Value{}]", "{'a': google.protobuf.Struct{}}", "{google.protobuf.StringValue{value: 'a'}: 1}", "a{}", "a.b{c: 1}", "Object{}", "int{}", "string{value: 1}", "google.protobuf{}", "google{}", "{}{}", "1{}", "f(){}", "(google.protobuf.Value){}", "google.protobuf.Value{}.f", "google.protobuf.Value{1: 2}", "google.protobuf.Value{'a': 2}", "google.protobuf.Value{a 2}", "google.protobuf.Value{a:}", "google.protobuf.Value{", "expr.proto3.TestAllTypes{}", "type(google.protobuf.Value{}) == null_type", "has({'a': google.protobuf.Value{}}.a)",
  ],
};

/** All areas. */
export const AREAS: Readonly<Record<string, Area>> = { urls: URLS, addresses: ADDRESSES, versions: VERSIONS, quantities: QUANTITIES, texts: TEXTS, numbers: NUMBERS, times: TIMES, durations: DURATIONS, names: NAMES, mail: MAIL, hosts: HOSTS, codes: CODES, patterns: PATTERNS, dyn: DYN, late: LATE, messages: MESSAGES };
