/**
 * The schema of containers: the programs of a Pod (SUP-5).
 *
 * @module
 */
import * as t from "../../../../meta/types.ts";
import { ObjectFieldSelector, ResourceFieldSelector } from "../volumes/files.ts";
import { AppArmorProfile, SELinuxOptions, SeccompProfile, WindowsOptions } from "./security-schema.ts";

const optionalName = t.optional(t.text("Name of the object."));
const optionalSource = t.pointer(t.bool("Whether the container may start without it."));

const keySelector = (kind: string) =>
  t.struct(
    `A key of a ${kind}.`,
    { name: optionalName, key: t.required(t.text("The key.")), optional: optionalSource },
    { atomic: true },
  );

const FileKeySelector = t.struct(
  "A key of a file in a volume.",
  {
    volumeName: t.required(t.text("The volume.")),
    path: t.required(t.text("The file in the volume.")),
    key: t.required(t.text("The key in the file.")),
    optional: t.pointer(t.bool("Whether the container may start without it.", { default: false })),
  },
  { atomic: true },
);

const EnvVar = t.struct("An environment variable.", {
  name: t.required(t.text("Name of the variable.")),
  value: t.optional(t.text("Its value; `$(NAME)` is another variable.")),
  valueFrom: t.pointer(
    t.struct("The source of the value; exactly one member is set.", {
      fieldRef: t.pointer(ObjectFieldSelector),
      resourceFieldRef: t.pointer(ResourceFieldSelector),
      configMapKeyRef: t.pointer(keySelector("ConfigMap")),
      secretKeyRef: t.pointer(keySelector("Secret")),
      fileKeyRef: t.pointer(FileKeySelector),
    }),
  ),
});

const EnvFromSource = t.struct("All keys of a ConfigMap or Secret as environment variables.", {
  prefix: t.optional(t.text("A prefix for each name.")),
  configMapRef: t.pointer(t.struct("A ConfigMap.", { name: optionalName, optional: optionalSource })),
  secretRef: t.pointer(t.struct("A Secret.", { name: optionalName, optional: optionalSource })),
});

const ContainerPort = t.struct("A port of the container.", {
  name: t.optional(t.text("Name of the port, unique in the Pod.")),
  hostPort: t.optional(t.int32("The port of the node.")),
  containerPort: t.required(t.int32("The port of the Pod.")),
  protocol: t.optional(t.text("`TCP`, `UDP` or `SCTP`.", { default: "TCP" })),
  hostIP: t.optional(t.text("The address of the node to bind to.")),
});

const limits = t.map(t.quantity(), "The most that may be used.");
const requests = t.map(t.quantity(), "The requested resources; the limits when unset.");
const claims = t.replacedList(
  t.struct("A claim of the Pod.", {
    name: t.required(t.text("Name of the claim in spec.resourceClaims.")),
    request: t.optional(t.text("One request of the claim; all when empty.")),
  }),
  ["name"],
  "The resource claims that are used.",
);

/** The requests and limits of a container. */
export const ResourceRequirements = t.struct("The requests and the limits.", {
  limits: t.optional(limits),
  requests: t.optional(requests),
  claims: t.optional(claims),
});

const VolumeMount = t.struct("A volume in the file system of the container.", {
  name: t.required(t.text("Name of the volume.")),
  readOnly: t.optional(t.bool("Whether it is mounted read-only.")),
  recursiveReadOnly: t.pointer(t.text("`Disabled`, `IfPossible` or `Enabled`.")),
  mountPath: t.required(t.text("The path of the mount.")),
  subPath: t.optional(t.text("A path in the volume that is mounted instead of its root.")),
  mountPropagation: t.pointer(t.text("`None`, `HostToContainer` or `Bidirectional`.")),
  subPathExpr: t.optional(t.text("As subPath, with `$(NAME)` for variables.")),
});

const VolumeDevice = t.struct("A raw block device in the container.", {
  name: t.required(t.text("Name of a volume behind a claim.")),
  devicePath: t.required(t.text("Path of the device.")),
});

const ExecAction = t.struct("A command.", {
  command: t.optional(t.atomicList(t.text(), "The command and its arguments; no shell.")),
});

const HTTPGetAction = t.struct("An HTTP request.", {
  path: t.optional(t.text("The path.", { default: "/" })),
  port: t.required(t.intOrString("Number or name of the port.")),
  host: t.optional(t.text("The host; the address of the Pod when empty.")),
  scheme: t.optional(t.text("`HTTP` or `HTTPS`.", { default: "HTTP" })),
  httpHeaders: t.optional(
    t.atomicList(
      t.struct("A header.", { name: t.required(t.text("Its name.")), value: t.required(t.text("Its value.")) }),
      "Headers of the request.",
    ),
  ),
});

const TCPSocketAction = t.struct("A connection.", {
  port: t.required(t.intOrString("Number or name of the port.")),
  host: t.optional(t.text("The host; the address of the Pod when empty.")),
});

const Probe = t.struct("A check of the health of the container; exactly one action is set.", {
  exec: t.pointer(ExecAction),
  httpGet: t.pointer(HTTPGetAction),
  tcpSocket: t.pointer(TCPSocketAction),
  grpc: t.pointer(
    t.struct("A call of the gRPC health service.", {
      port: t.required(t.int32("Number of the port.")),
      service: t.pointer(t.text("Name of the service.", { default: "" })),
    }),
  ),
  initialDelaySeconds: t.optional(t.int32("Seconds after the start before it begins.")),
  timeoutSeconds: t.optional(t.int32("Seconds until a probe has failed; 1 when unset.")),
  periodSeconds: t.optional(t.int32("Seconds between two probes; 10 when unset.")),
  successThreshold: t.optional(t.int32("How many successes in a row make a success; 1 when unset.")),
  failureThreshold: t.optional(t.int32("How many failures in a row make a failure; 3 when unset.")),
  terminationGracePeriodSeconds: t.pointer(t.int64("Seconds that the Pod is given to end after a failure.")),
});

const LifecycleHandler = t.struct("An action; exactly one member is set.", {
  exec: t.pointer(ExecAction),
  httpGet: t.pointer(HTTPGetAction),
  tcpSocket: t.pointer(TCPSocketAction),
  sleep: t.pointer(t.struct("A pause.", { seconds: t.required(t.int64("Seconds to wait.")) })),
});

const Lifecycle = t.struct("Actions after the start of the container and before its end.", {
  postStart: t.pointer(LifecycleHandler),
  preStop: t.pointer(LifecycleHandler),
  stopSignal: t.pointer(t.text("The signal that ends the container.")),
});

const SecurityContext = t.struct("The security settings of the container.", {
  capabilities: t.pointer(
    t.struct("Capabilities of the kernel.", {
      add: t.optional(t.atomicList(t.text(), "Those to add.")),
      drop: t.optional(t.atomicList(t.text(), "Those to take away.")),
    }),
  ),
  privileged: t.pointer(t.bool("Whether processes are as good as root on the node.")),
  seLinuxOptions: t.pointer(SELinuxOptions),
  windowsOptions: t.pointer(WindowsOptions),
  runAsUser: t.pointer(t.int64("The user id.")),
  runAsGroup: t.pointer(t.int64("The group id.")),
  runAsNonRoot: t.pointer(t.bool("Whether user 0 is refused.")),
  readOnlyRootFilesystem: t.pointer(t.bool("Whether the root file system is read-only.")),
  allowPrivilegeEscalation: t.pointer(t.bool("Whether a process may get more rights than its parent.")),
  procMount: t.pointer(t.text("`Default` or `Unmasked`.")),
  seccompProfile: t.pointer(SeccompProfile),
  appArmorProfile: t.pointer(AppArmorProfile),
});

const ContainerResizePolicy = t.struct("The effect of a change of a resource.", {
  resourceName: t.required(t.text("The resource.")),
  restartPolicy: t.required(t.text("`NotRequired` or `RestartContainer`.")),
});

const ContainerRestartRule = t.struct("When the container is restarted.", {
  action: t.required(t.text("`Restart`.")),
  exitCodes: t.pointer(
    t.struct("The exit codes that are meant.", {
      operator: t.required(t.text("`In` or `NotIn`.")),
      values: t.optional(t.setList(t.int32(), "Exit codes.")),
    }),
  ),
});

/** The requests and limits of a Pod as a whole: claims are those of its containers, and are decoded here to be refused. */
export const PodResourceRequirements = t.struct("The requests and the limits.", {
  limits: t.optional(limits),
  requests: t.optional(requests),
  claims: t.pointer(claims),
});

const ports = t.keyedList(ContainerPort, ["containerPort", "protocol"], "The ports of the container.");
const resizePolicy = t.atomicList(ContainerResizePolicy, "The effects of changes of resources.");
const restartPolicyRules = t.atomicList(ContainerRestartRule, "When the container is restarted, by exit code.");

const containerMembers = {
  name: t.required(t.text("Name of the container, a DNS label; it cannot change.")),
  image: t.optional(t.text("The image.")),
  command: t.optional(t.atomicList(t.text(), "The entry point; that of the image when empty.")),
  args: t.optional(t.atomicList(t.text(), "Arguments of the entry point; those of the image when empty.")),
  workingDir: t.optional(t.text("The working directory; that of the image when empty.")),
  ports: t.optional(ports),
  envFrom: t.optional(t.atomicList(EnvFromSource, "Sources of environment variables.")),
  env: t.optional(t.keyedList(EnvVar, ["name"], "Environment variables.")),
  resources: t.always(ResourceRequirements),
  resizePolicy: t.optional(resizePolicy),
  restartPolicy: t.pointer(t.text("`Always` for an init container that keeps running; else that of the Pod.")),
  restartPolicyRules: t.optional(restartPolicyRules),
  volumeMounts: t.optional(t.keyedList(VolumeMount, ["mountPath"], "The volumes in the file system.")),
  volumeDevices: t.optional(t.keyedList(VolumeDevice, ["devicePath"], "The raw block devices.")),
  livenessProbe: t.pointer(Probe),
  readinessProbe: t.pointer(Probe),
  startupProbe: t.pointer(Probe),
  lifecycle: t.pointer(Lifecycle),
  terminationMessagePath: t.optional(t.text("File with the last message of the container.")),
  terminationMessagePolicy: t.optional(t.text("`File`, or `FallbackToLogsOnError`.")),
  imagePullPolicy: t.optional(t.text("`Always`, `Never` or `IfNotPresent`; by the tag of the image when unset.")),
  securityContext: t.pointer(SecurityContext),
  stdin: t.optional(t.bool("Whether there is a standard input.")),
  stdinOnce: t.optional(t.bool("Whether it is closed after the first client.")),
  tty: t.optional(t.bool("Whether there is a terminal.")),
};

/** A container. */
export const Container = t.struct("A process, or some, in an image.", containerMembers);

/** An ephemeral container, which is added to a running Pod for debugging. */
export const EphemeralContainer = t.struct("A container that is put into a running Pod to look around.", {
  ...containerMembers,
  // Forbidden members are decoded even where they are empty.
  ports: t.pointer(ports),
  resources: t.always(
    t.struct("The requests and the limits.", {
      limits: t.pointer(limits),
      requests: t.pointer(requests),
      claims: t.pointer(claims),
    }),
  ),
  resizePolicy: t.pointer(resizePolicy),
  restartPolicyRules: t.pointer(restartPolicyRules),
  targetContainerName: t.optional(t.text("The container whose processes are to be seen.")),
});

/** A container in wire form. */
export type ContainerValue = t.Static<typeof Container>;
