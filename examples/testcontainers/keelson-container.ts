/**
 * A server in a container, for tests in any project that uses Testcontainers (https://node.testcontainers.org). In this process
 * `createCluster` of `keelson/testing` is faster, and needs no container engine.
 *
 * @module
 */
import { AbstractStartedContainer, GenericContainer, type StartedTestContainer, Wait } from "testcontainers";

const PORT = 6443;

/** A Keelson server before it starts: `await using server = await new KeelsonContainer("keelson").start()`. */
export class KeelsonContainer extends GenericContainer {
  /** @param image the image of `packaging/container/Dockerfile` */
  constructor(image = "keelson") {
    super(image);
    this.withExposedPorts(PORT)
      .withCommand(["serve", "--dev"])
      .withEnvironment({ KEELSON_KUBECONFIG_OUT: "/tmp/kubeconfig" })
      .withTmpFs({ "/tmp": "rw" })
      .withWaitStrategy(Wait.forLogMessage(/ready/).withStartupTimeout(60_000));
  }

  override async start(): Promise<StartedKeelsonContainer> {
    const started = await super.start();
    const { output, exitCode, stderr } = await started.exec(["cat", "/tmp/kubeconfig"]);
    if (exitCode !== 0) throw new Error(`expected a kubeconfig in the container: ${stderr}`);
    return new StartedKeelsonContainer(started, output);
  }
}

/** A Keelson server that runs in a container. */
export class StartedKeelsonContainer extends AbstractStartedContainer {
  /** A kubeconfig of the admin, for this machine. */
  readonly kubeconfig: string;

  constructor(started: StartedTestContainer, kubeconfig: string) {
    super(started);
    // The certificate names localhost, and no host of an engine elsewhere.
    this.kubeconfig = kubeconfig.replace(
      /^( *)server: .*$/m,
      `$1server: https://${this.getHost()}:${this.getMappedPort(PORT)}\n$1tls-server-name: localhost`,
    );
  }
}
