import { describe, expect, test } from "vitest";
import { TransportError } from "./transport-base.ts";
import { proxyFor, proxyUrl } from "./transport-proxy.ts";

const HTTPS_PROXY = "http://proxy:3128";

describe("the proxy of an environment", () => {
  test.each<[string, string, string]>([
    ["https://api.example", "", "a"],
    ["http://api.example", "", "b"],
    ["https://localhost:6443", "", ""],
    ["https://127.0.0.9:6443", "", ""],
    ["https://[::1]:6443", "", ""],
    ["https://api.example", "*", ""],
    ["https://10.0.0.1", "*", ""],
    ["https://api.example", " other , EXAMPLE ", ""],
    ["https://example", "example", ""],
    ["https://example", ".example", "a"],
    ["https://api.example", ".example", ""],
    ["https://api.example", "*.example", ""],
    ["https://myexample", "example", "a"],
    ["https://api.example:6443", "api.example:6443", ""],
    ["https://api.example", "api.example:6443", "a"],
    ["https://api.example", "api.example:443", ""],
    ["http://api.example", "api.example:80", ""],
    ["https://bücher.example", "bücher.example", ""],
    ["https://10.1.2.3", "10.0.0.0/8", ""],
    ["https://11.1.2.3", "10.0.0.0/8", "a"],
    ["https://10.1.2.3", "10.1.2.3", ""],
    ["https://10.1.2.3", "10.1.2.3:6443", "a"],
    ["https://10.1.2.3:6443", "10.1.2.3:6443", ""],
    ["https://[fd00::1]", "fd00:0::/8", ""],
    ["https://[fd00::1]", "fd00:0:0::1", ""],
    ["https://[fd00::1]:6443", "[fd00::1]:6443", ""],
    ["https://[fd00::1]", "[fd00::1]:6443", "a"],
    ["https://api.example", "10.0.0.0/8", "a"],
    ["https://api.example", "10.0.0.0/99,:443,,", "a"],
  ])("for %s where NO_PROXY is %j is %j", (url, list, expected) => {
    const env = { HTTPS_PROXY: "http://a:1", HTTP_PROXY: "http://b:1", NO_PROXY: list };
    expect(proxyFor(new URL(url), env)).toBe(expected === "" ? undefined : `http://${expected}:1`);
    const lower = { https_proxy: "http://a:1", http_proxy: "http://b:1", no_proxy: list };
    expect(proxyFor(new URL(url), lower)).toBe(expected === "" ? undefined : `http://${expected}:1`);
  });

  test("may be written without a scheme; capitals count before lower case, and what is no address does not count", () => {
    const url = new URL("https://api.example");
    expect(proxyFor(url, { HTTPS_PROXY: "proxy:3128", https_proxy: "http://other" })).toBe(HTTPS_PROXY);
    expect(proxyFor(url, { HTTPS_PROXY: "", https_proxy: HTTPS_PROXY })).toBe(HTTPS_PROXY);
    expect(proxyFor(url, { HTTPS_PROXY: "a b c" })).toBeUndefined();
    expect(proxyFor(url, { HTTPS_PROXY: "http://me:100%@proxy" })).toBeUndefined();
    expect(() => proxyUrl("http://me:100%@proxy")).toThrow(TransportError);
    expect(proxyFor(url, { HTTP_PROXY: HTTPS_PROXY })).toBeUndefined();
  });

  test("of http is refused in a CGI program, where a request may have set it", () => {
    const env = { HTTP_PROXY: HTTPS_PROXY, HTTPS_PROXY, REQUEST_METHOD: "GET" };
    expect(() => proxyFor(new URL("http://api.example"), env)).toThrow(TransportError);
    expect(proxyFor(new URL("https://api.example"), env)).toBe(HTTPS_PROXY);
  });

  test("of SOCKS is refused, not passed by; its password is not told", () => {
    const proxy = proxyFor(new URL("https://api.example"), { HTTPS_PROXY: "socks5://me:secret@proxy:1080" })!;
    expect(() => proxyUrl(proxy)).toThrow("SOCKS is not supported), got socks5://proxy:1080");
  });
});
