/**
 * Gateways and routes: most of what they must be is said by rules over keyed lists.
 *
 * @module
 */
import { type Sample, STATUS, sample } from "../sample.ts";
import {
  type Json,
  conditions,
  duration,
  int32,
  keyed,
  label,
  labelSelector,
  list,
  longName,
  mapOf,
  object,
  oneOf,
  openObject,
  ruled,
  text,
  texts,
  yesNo,
} from "../words.ts";

const GROUP = "gateways.example.com";
const group = text({ default: "", maxLength: 253 });
const kindName = text({ minLength: 1, maxLength: 63, pattern: "^[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?$" });
const port = int32({ minimum: 1, maximum: 65_535 });
const hostname = text({
  minLength: 1,
  maxLength: 253,
  pattern: String.raw`^(\*\.)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`,
});
const sectionName = longName;
const objectRef = object(
  { group, kind: { ...kindName, default: "Secret" }, name: longName, namespace: label },
  { required: ["name"] },
);

const listener = object(
  {
    name: sectionName,
    hostname,
    port,
    protocol: text({ minLength: 1, maxLength: 255 }),
    tls: ruled(
      object({
        mode: { ...oneOf("Terminate", "Passthrough"), default: "Terminate" },
        certificateRefs: list(objectRef, { maxItems: 64 }),
        options: mapOf(text({ maxLength: 4096 }), { maxProperties: 16 }),
      }),
      [
        "self.mode != 'Terminate' || (has(self.certificateRefs) && size(self.certificateRefs) > 0) || (has(self.options) && size(self.options) > 0)",
        "a listener that terminates needs certificates or options",
      ],
    ),
    allowedRoutes: object(
      {
        kinds: list(
          object({ group: { ...group, default: "gateways.example.com" }, kind: kindName }, { required: ["kind"] }),
          { maxItems: 8 },
        ),
        namespaces: object(
          { from: { ...oneOf("All", "Selector", "Same"), default: "Same" }, selector: labelSelector },
          { default: { from: "Same" } },
        ),
      },
      { default: { namespaces: { from: "Same" } } },
    ),
  },
  { required: ["name", "port", "protocol"] },
);

const listeners = ruled(
  keyed(["name"], listener, { minItems: 1, maxItems: 64 }),
  ["self.all(l, !(l.protocol in ['HTTP', 'TCP', 'UDP']) || !has(l.tls))", "no tls for HTTP, TCP and UDP"],
  ["self.all(l, !(l.protocol == 'HTTPS' && has(l.tls)) || l.tls.mode == 'Terminate')", "HTTPS ends here"],
  [
    "self.all(l, !(l.protocol in ['TCP', 'UDP']) || !has(l.hostname) || l.hostname == '')",
    "no hostname for TCP and UDP",
  ],
  [
    "self.all(a, self.exists_one(b, a.port == b.port && a.protocol == b.protocol && (has(a.hostname) && has(b.hostname) ? a.hostname == b.hostname : !has(a.hostname) && !has(b.hostname))))",
    "port, protocol and hostname are there once",
  ],
);

const address = ruled(
  object({
    type: { ...text({ minLength: 1, maxLength: 253 }), default: "IPAddress" },
    value: text({ maxLength: 253 }),
  }),
  ["self.type != 'Hostname' || !has(self.value) || self.value.matches('^[a-z0-9.*-]+$')", "a hostname is one"],
);
const addresses = ruled(list(address, { maxItems: 16 }), [
  "self.all(a, a.type != 'IPAddress' || !has(a.value) || self.exists_one(b, b.type == a.type && has(b.value) && b.value == a.value))",
  "addresses are there once",
]);

export const gateway: Sample = sample({
  of: "a gateway with its listeners",
  group: GROUP,
  kind: "Gateway",
  plural: "gateways",
  names: { shortNames: ["gtw"], categories: ["gateways"] },
  versions: [
    {
      name: "v1",
      members: {
        spec: object(
          {
            addresses,
            gatewayClassName: text({ minLength: 1, maxLength: 253 }),
            infrastructure: object({ annotations: texts, labels: texts }),
            listeners,
          },
          { required: ["gatewayClassName", "listeners"] },
        ),
        status: object(
          {
            addresses: list(openObject),
            conditions,
            listeners: keyed(
              ["name"],
              object(
                { attachedRoutes: int32(), conditions, name: sectionName },
                { required: ["attachedRoutes", "conditions", "name"] },
              ),
              { maxItems: 64 },
            ),
          },
          {
            default: {
              conditions: [
                {
                  type: "Accepted",
                  status: "Unknown",
                  reason: "Pending",
                  message: "Waiting",
                  lastTransitionTime: "1970-01-01T00:00:00Z",
                },
              ],
            },
          },
        ),
      },
      root: { required: ["spec"] },
      more: STATUS,
    },
  ],
  valid: {
    spec: {
      gatewayClassName: "own",
      addresses: [{ value: "10.0.0.1" }],
      listeners: [
        { name: "web", port: 80, protocol: "HTTP" },
        {
          name: "tls",
          port: 443,
          protocol: "HTTPS",
          hostname: "*.example.com",
          tls: { certificateRefs: [{ name: "c" }] },
        },
      ],
    },
  },
  becomes: {
    spec: {
      gatewayClassName: "own",
      addresses: [{ type: "IPAddress", value: "10.0.0.1" }],
      listeners: [
        { name: "web", port: 80, protocol: "HTTP", allowedRoutes: { namespaces: { from: "Same" } } },
        {
          name: "tls",
          port: 443,
          protocol: "HTTPS",
          hostname: "*.example.com",
          tls: { mode: "Terminate", certificateRefs: [{ group: "", kind: "Secret", name: "c" }] },
          allowedRoutes: { namespaces: { from: "Same" } },
        },
      ],
    },
    status: {
      conditions: [
        {
          type: "Accepted",
          status: "Unknown",
          reason: "Pending",
          message: "Waiting",
          lastTransitionTime: "1970-01-01T00:00:00Z",
        },
      ],
    },
  },
  misfits: [
    {
      why: "with tls where there is none, and one address twice",
      body: {
        spec: {
          gatewayClassName: "own",
          addresses: [{ value: "10.0.0.1" }, { value: "10.0.0.1" }],
          listeners: [{ name: "a", port: 80, protocol: "HTTP", tls: { options: { o: "1" } } }],
        },
      },
      causes: ["FieldValueInvalid spec.addresses", "FieldValueInvalid spec.listeners"],
    },
    {
      why: "with two listeners that clash, one of which has nothing to show",
      body: {
        spec: {
          gatewayClassName: "own",
          listeners: [
            { name: "a", port: 443, protocol: "HTTPS", tls: {} },
            { name: "b", port: 443, protocol: "HTTPS" },
          ],
        },
      },
      causes: ["FieldValueInvalid spec.listeners", "FieldValueInvalid spec.listeners[0].tls"],
    },
    {
      why: "with a port that is none; rules still run",
      body: { spec: { gatewayClassName: "own", listeners: [{ name: "a", port: 0, protocol: "UDP", hostname: "h" }] } },
      causes: ["FieldValueInvalid spec.listeners", "FieldValueInvalid spec.listeners[0].port"],
    },
  ],
});

const header = object(
  {
    name: text({ minLength: 1, maxLength: 256, pattern: "^[A-Za-z0-9!#$%&'*+.^_|~-]+$" }),
    value: text({ minLength: 1, maxLength: 4096 }),
  },
  { required: ["name", "value"] },
);
const changedHeaders = object({
  add: keyed(["name"], header, { maxItems: 16 }),
  remove: list(text({ maxLength: 256 }), { maxItems: 16, "x-kubernetes-list-type": "set" }),
  set: keyed(["name"], header, { maxItems: 16 }),
});
const path = ruled(
  object(
    {
      type: oneOf("ReplaceFullPath", "ReplacePrefixMatch"),
      replaceFullPath: text({ maxLength: 1024 }),
      replacePrefixMatch: text({ maxLength: 1024 }),
    },
    { required: ["type"] },
  ),
  ["self.type == 'ReplaceFullPath' ? has(self.replaceFullPath) : true", "the path to put there"],
  ["has(self.replacePrefixMatch) ? self.type == 'ReplacePrefixMatch' : true", "a prefix for prefixes"],
);
const backendRef = ruled(
  object(
    {
      group,
      kind: { ...kindName, default: "Service" },
      name: longName,
      namespace: label,
      port,
      weight: int32({ default: 1, minimum: 0, maximum: 1_000_000 }),
    },
    { required: ["name"] },
  ),
  ["!(self.group == '' && self.kind == 'Service') || has(self.port)", "a Service has a port"],
);

const FILTERS: Readonly<Record<string, Json>> = {
  requestHeaderModifier: changedHeaders,
  responseHeaderModifier: changedHeaders,
  requestRedirect: object({
    hostname,
    path,
    port,
    scheme: oneOf("http", "https"),
    statusCode: { ...int32({ default: 302 }), enum: [301, 302] },
  }),
  urlRewrite: object({ hostname, path }),
  extensionRef: object(
    { group: text({ maxLength: 253 }), kind: kindName, name: longName },
    { required: ["group", "kind", "name"] },
  ),
};
const typeOf = (member: string): string => member[0]!.toUpperCase() + member.slice(1);
const filter = ruled(
  object({ type: oneOf(...Object.keys(FILTERS).map(typeOf)), ...FILTERS }, { required: ["type"] }),
  ...Object.keys(FILTERS).flatMap((member) => [
    [`!has(self.${member}) || self.type == '${typeOf(member)}'`, `${member} is of another type`] as const,
    [`has(self.${member}) || self.type != '${typeOf(member)}'`, `${member} is missing`] as const,
  ]),
);
const filters = ruled(
  list(filter, { maxItems: 16 }),
  ["!(self.exists(f, f.type == 'RequestRedirect') && self.exists(f, f.type == 'UrlRewrite'))", "redirect or rewrite"],
  ["self.filter(f, f.type == 'RequestHeaderModifier').size() <= 1", "headers are changed once"],
);
const match = object({
  headers: keyed(
    ["name"],
    object(
      { ...(header["properties"] as Json), type: { ...oneOf("Exact", "RegularExpression"), default: "Exact" } },
      { required: ["name", "value"] },
    ),
    { maxItems: 16 },
  ),
  method: oneOf("GET", "HEAD", "POST", "PUT", "DELETE", "PATCH"),
  path: ruled(
    object(
      {
        type: { ...oneOf("Exact", "PathPrefix", "RegularExpression"), default: "PathPrefix" },
        value: text({ default: "/", maxLength: 1024 }),
      },
      { default: { type: "PathPrefix", value: "/" } },
    ),
    ["!(self.type in ['Exact', 'PathPrefix']) || self.value.startsWith('/')", "a path begins with a slash"],
    ["!(self.type in ['Exact', 'PathPrefix']) || !self.value.contains('//')", "a path has no empty part"],
    [
      '!(self.type in [\'Exact\', \'PathPrefix\']) || self.value.matches(r"""^(?:[-A-Za-z0-9/._~!$&\'()*+,;=:@]|%[0-9a-fA-F]{2})+$""")',
      "a path has no other characters",
    ],
  ),
});
const rule = ruled(
  object({
    name: sectionName,
    backendRefs: list(
      object(
        { ...(backendRef["properties"] as Json), filters },
        { required: ["name"], "x-kubernetes-validations": backendRef["x-kubernetes-validations"] },
      ),
      { maxItems: 16 },
    ),
    filters,
    matches: list(match, { maxItems: 64, default: [{ path: { type: "PathPrefix", value: "/" } }] }),
    timeouts: ruled(object({ backendRequest: duration, request: duration }), [
      "!(has(self.request) && has(self.backendRequest) && duration(self.request) != duration('0s') && duration(self.backendRequest) > duration(self.request))",
      "a part takes no longer than the whole",
    ]),
  }),
  [
    "!(has(self.backendRefs) && self.backendRefs.size() > 0 && has(self.filters) && self.filters.exists(f, has(f.requestRedirect)))",
    "who redirects has no backends",
  ],
);

export const httpRoute: Sample = sample({
  of: "routes of a gateway",
  group: GROUP,
  kind: "HTTPRoute",
  plural: "httproutes",
  versions: [
    {
      name: "v1",
      members: {
        spec: object({
          hostnames: list(hostname, { maxItems: 16 }),
          parentRefs: ruled(
            list(
              object(
                {
                  group,
                  kind: { ...kindName, default: "Gateway" },
                  name: longName,
                  namespace: label,
                  port,
                  sectionName,
                },
                { required: ["name"] },
              ),
              { maxItems: 32 },
            ),
            [
              "self.all(a, self.exists_one(b, a.kind == b.kind && a.name == b.name && (has(a.sectionName) && has(b.sectionName) ? a.sectionName == b.sectionName : !has(a.sectionName) && !has(b.sectionName))))",
              "parents are there once",
            ],
          ),
          rules: ruled(
            list(rule, { maxItems: 16 }),
            [
              "(self.size() > 0 ? (has(self[0].matches) ? self[0].matches.size() : 0) : 0) + (self.size() > 1 ? (has(self[1].matches) ? self[1].matches.size() : 0) : 0) <= 128",
              "not too many matches",
            ],
            [
              "self.all(a, !has(a.name) || self.exists_one(b, has(b.name) && a.name == b.name))",
              "names are there once",
            ],
          ),
        }),
        status: object({ parents: list(openObject, { maxItems: 32 }) }),
      },
      root: { required: ["spec"] },
      more: STATUS,
    },
  ],
  valid: {
    spec: {
      parentRefs: [{ name: "gate" }],
      hostnames: ["shop.example.com"],
      rules: [
        { backendRefs: [{ name: "shop", port: 80 }], timeouts: { request: "10s", backendRequest: "2s" } },
        {
          name: "old",
          matches: [{ path: { value: "/old" } }],
          filters: [{ type: "RequestRedirect", requestRedirect: { hostname: "new.example.com" } }],
        },
      ],
    },
  },
  becomes: {
    spec: {
      parentRefs: [{ group: "", kind: "Gateway", name: "gate" }],
      hostnames: ["shop.example.com"],
      rules: [
        {
          backendRefs: [{ group: "", kind: "Service", name: "shop", port: 80, weight: 1 }],
          matches: [{ path: { type: "PathPrefix", value: "/" } }],
          timeouts: { request: "10s", backendRequest: "2s" },
        },
        {
          name: "old",
          matches: [{ path: { type: "PathPrefix", value: "/old" } }],
          filters: [{ type: "RequestRedirect", requestRedirect: { hostname: "new.example.com", statusCode: 302 } }],
        },
      ],
    },
  },
  misfits: [
    {
      why: "with filters that are not what they say",
      body: { spec: { rules: [{ filters: [{ type: "UrlRewrite", requestHeaderModifier: {} }] }] } },
      causes: ["FieldValueInvalid spec.rules[0].filters[0]", "FieldValueInvalid spec.rules[0].filters[0]"],
    },
    {
      why: "with paths that lead nowhere, a Service without port, and a part that takes longer than the whole",
      body: {
        spec: {
          rules: [
            {
              matches: [{ path: { value: "a//b" } }],
              backendRefs: [{ name: "s" }],
              timeouts: { request: "1s", backendRequest: "2s" },
            },
          ],
        },
      },
      causes: [
        "FieldValueInvalid spec.rules[0].backendRefs[0]",
        "FieldValueInvalid spec.rules[0].matches[0].path",
        "FieldValueInvalid spec.rules[0].matches[0].path",
        "FieldValueInvalid spec.rules[0].timeouts",
      ],
    },
    {
      why: "with backends behind a redirect, and two names alike",
      body: {
        spec: {
          rules: [
            {
              name: "a",
              backendRefs: [{ name: "s", port: 1 }],
              filters: [{ type: "RequestRedirect", requestRedirect: {} }],
            },
            { name: "a" },
          ],
        },
      },
      causes: ["FieldValueInvalid spec.rules", "FieldValueInvalid spec.rules[0]"],
    },
  ],
});

const stringMatch: Json = object(
  { exact: text(), prefix: text(), regex: text() },
  {
    oneOf: [
      { not: { anyOf: [{ required: ["exact"] }, { required: ["prefix"] }, { required: ["regex"] }] } },
      { required: ["exact"] },
      { required: ["prefix"] },
      { required: ["regex"] },
    ],
  },
);
const meshDestination = object(
  { host: text(), port: object({ number: int32({ minimum: 0, maximum: 4_294_967_295 }) }), subset: text() },
  { required: ["host"] },
);

export const virtualService: Sample = sample({
  of: "routes of a mesh: at most one of several members",
  group: "mesh.example.com",
  kind: "VirtualService",
  plural: "virtualservices",
  names: { shortNames: ["vs"] },
  versions: [
    {
      name: "v1",
      members: {
        spec: object({
          exportTo: list(text()),
          gateways: list(text()),
          hosts: list(text()),
          http: list(
            object({
              corsPolicy: object({ allowMethods: list(text()), allowOrigins: list(stringMatch), maxAge: duration }),
              fault: object({
                delay: object(
                  { fixedDelay: duration, percentage: object({ value: { type: "number", format: "double" } }) },
                  { oneOf: [{ not: { anyOf: [{ required: ["fixedDelay"] }] } }, { required: ["fixedDelay"] }] },
                ),
              }),
              headers: object({ request: object({ add: texts, remove: list(text()), set: texts }) }),
              match: list(
                object({ headers: mapOf(stringMatch), ignoreUriCase: yesNo(), method: stringMatch, uri: stringMatch }),
              ),
              name: text(),
              retries: object({ attempts: int32(), perTryTimeout: duration }),
              route: list(object({ destination: meshDestination, weight: int32() }, { required: ["destination"] })),
              timeout: duration,
            }),
          ),
          tcp: list(object({ route: list(object({ destination: meshDestination }, { required: ["destination"] })) })),
        }),
        status: openObject,
      },
      more: STATUS,
    },
  ],
  valid: {
    spec: {
      hosts: ["shop"],
      http: [
        {
          match: [{ uri: { prefix: "/a" }, headers: { who: { exact: "me" }, any: {} } }],
          route: [{ destination: { host: "a" }, weight: 100 }],
        },
        { fault: { delay: { fixedDelay: "5s", percentage: { value: 0.5 } } } },
      ],
    },
  },
  misfits: [
    {
      why: "with two ways to compare",
      body: { spec: { http: [{ match: [{ uri: { prefix: "/a", exact: "/a" } }] }] } },
      causes: ["FieldValueInvalid <nil>"],
    },
    {
      why: "with a route to nowhere",
      body: { spec: { tcp: [{ route: [{}] }] } },
      causes: ["FieldValueRequired spec.tcp[0].route[0].destination"],
    },
  ],
});
