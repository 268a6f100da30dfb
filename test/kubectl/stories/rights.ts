import type { Story } from "../story.ts";

/** Somebody who may ask about themselves, and read ConfigMaps of the story. */
const GRANTED = [
  {
    run: "create role reader --verb=get,list --resource=configmaps",
    out: "role.rbac.authorization.k8s.io/reader created",
  },
  { run: "create rolebinding reader --role=reader --user={ns}-jane", out: "created" },
  {
    run: "create clusterrole {ns}-asker --verb=create --resource=selfsubjectaccessreviews.authorization.k8s.io,selfsubjectrulesreviews.authorization.k8s.io,selfsubjectreviews.authentication.k8s.io",
    out: "created",
  },
  { run: "create clusterrolebinding {ns}-asker --clusterrole={ns}-asker --user={ns}-jane", out: "created" },
  { run: "create configmap web --from-literal=a=b", out: "created" },
];

const CLEANED = [
  { run: "delete clusterrole {ns}-asker", out: "deleted" },
  { run: "delete clusterrolebinding {ns}-asker", out: "deleted" },
];

/** Commands in somebody else's name, and questions about what they may do. */
export const RIGHTS: readonly Story[] = [
  {
    name: "get --as",
    steps: [
      ...GRANTED,
      { run: "get configmap web --as {ns}-jane -o name", out: /^configmap\/web\n$/ },
      {
        run: "get secrets --as {ns}-jane",
        code: 1,
        err: /secrets is forbidden: User "\S+-jane" cannot list resource "secrets"/,
      },
      { run: "delete configmap web --as {ns}-jane", code: 1, err: 'configmaps "web" is forbidden' },
      { run: "get configmap web --as somebody --as-group system:masters -o name", out: /^configmap\/web\n$/ },
      { run: "get configmap web --as-group system:masters", code: 1, err: /./ },
      ...CLEANED,
    ],
  },
  {
    name: "auth can-i --as",
    steps: [
      ...GRANTED,
      { run: "auth can-i get configmaps --as {ns}-jane", out: /^yes\n$/ },
      { run: "auth can-i delete configmaps --as {ns}-jane", code: 1, out: /^no/ },
      { run: "auth can-i get secrets/x --as {ns}-jane", code: 1, out: /^no/ },
      ...CLEANED,
    ],
  },
  {
    name: "auth can-i --list --as",
    steps: [
      ...GRANTED,
      { run: "auth can-i --list --as {ns}-jane", out: [/configmaps\s+\[\]\s+\[\]\s+\[get list\]/] },
      ...CLEANED,
    ],
  },
  {
    name: "auth whoami --as",
    since: 28,
    steps: [
      ...GRANTED,
      {
        run: "auth whoami --as {ns}-jane --as-group team,one --as-group two --as-uid u-1",
        out: [/Username\s+\S+-jane/, /UID\s+u-1/, "[team,one two system:authenticated]"],
      },
      ...CLEANED,
    ],
  },
];
