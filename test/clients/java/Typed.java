import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.apis.CoordinationV1Api;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.apis.VersionApi;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ConfigMapList;
import io.kubernetes.client.openapi.models.V1DeleteOptions;
import io.kubernetes.client.openapi.models.V1Lease;
import io.kubernetes.client.openapi.models.V1LeaseSpec;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Preconditions;
import io.kubernetes.client.openapi.models.V1Secret;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The generated API of the core group. */
final class Typed implements Main.Play {
  @Override
  public void play(Checks checks, ApiClient client, String namespace) {
    CoreV1Api core = new CoreV1Api(client);

    checks.check("create, get, list, replace, delete", () -> {
      V1ConfigMap made = core.createNamespacedConfigMap(namespace, configMap("first", "1").putDataItem("b", "2"))
          .fieldManager("java").execute();
      Checks.same("the manager", made.getMetadata().getManagedFields().get(0).getManager(), "java");
      Checks.holds("a time of creation", made.getMetadata().getCreationTimestamp().isAfter(OffsetDateTime.now().minusMinutes(1)));
      V1ConfigMap changed = core.replaceNamespacedConfigMap("first", namespace, made.data(Map.of("a", "2"))).execute();
      Checks.same("the data", changed.getData(), Map.of("a", "2"));
      Checks.same("what is read", core.readNamespacedConfigMap("first", namespace).execute(), changed);
      made.getMetadata().setResourceVersion("1");
      Checks.refused(409, () -> core.replaceNamespacedConfigMap("first", namespace, made).execute());
      V1Preconditions another = new V1Preconditions().uid("another");
      Checks.refused(409, () -> core.deleteNamespacedConfigMap("first", namespace)
          .body(new V1DeleteOptions().preconditions(another)).execute());
      core.deleteNamespacedConfigMap("first", namespace).propagationPolicy("Background").execute();
      Checks.refused(404, () -> core.readNamespacedConfigMap("first", namespace).execute());
    });
    checks.check("refusals are a Status", () -> {
      Checks.refused(422, () -> core.createNamespacedConfigMap(namespace, configMap("Not A Name", "1")).execute());
      core.createNamespacedConfigMap(namespace, configMap("twice", "1")).execute();
      Checks.refused(409, () -> core.createNamespacedConfigMap(namespace, configMap("twice", "1")).execute());
      core.createNamespacedConfigMap(namespace, configMap("dry", "1")).dryRun("All").execute();
      Checks.refused(404, () -> core.readNamespacedConfigMap("dry", namespace).execute());
    });
    checks.check("pages and selectors", () -> {
      for (int i = 0; i < 25; i++) {
        V1ConfigMap one = configMap("page-" + i, "1");
        one.getMetadata().putLabelsItem("even", String.valueOf(i % 2 == 0)).putLabelsItem("paged", "yes");
        core.createNamespacedConfigMap(namespace, one).execute();
      }
      List<V1ConfigMap> all = new ArrayList<>();
      String next = null;
      int pages = 0;
      do {
        V1ConfigMapList page = core.listNamespacedConfigMap(namespace).labelSelector("paged").limit(10)._continue(next).execute();
        all.addAll(page.getItems());
        next = page.getMetadata().getContinue();
        pages++;
      } while (next != null && !next.isEmpty());
      Checks.same("the number of pages", pages, 3);
      Checks.same("the number of all", all.size(), 25);
      Checks.same("the number of even ones", core.listNamespacedConfigMap(namespace).labelSelector("even=true").execute().getItems().size(), 13);
      Checks.same("the number of one", core.listConfigMapForAllNamespaces()
          .fieldSelector("metadata.name=page-7,metadata.namespace=" + namespace).execute().getItems().size(), 1);
      core.deleteCollectionNamespacedConfigMap(namespace).labelSelector("paged").execute();
      Checks.same("what is left", core.listNamespacedConfigMap(namespace).labelSelector("paged").execute().getItems().size(), 0);
    });
    checks.check("bytes of a Secret come back as they were", () -> {
      byte[] bytes = new byte[70_000];
      for (int i = 0; i < bytes.length; i++) bytes[i] = (byte) (i * 7);
      V1Secret secret = new V1Secret().metadata(new V1ObjectMeta().name("bytes")).putDataItem("key", bytes).putStringDataItem("word", "ünï");
      core.createNamespacedSecret(namespace, secret).execute();
      Map<String, byte[]> data = core.readNamespacedSecret("bytes", namespace).execute().getData();
      Checks.holds("the same bytes", java.util.Arrays.equals(data.get("key"), bytes));
      Checks.same("the word", new String(data.get("word"), java.nio.charset.StandardCharsets.UTF_8), "ünï");
    });
    checks.check("the version", () -> Checks.same("major", new VersionApi(client).getCode().execute().getMajor(), "1"));
  }

  /** Times with microseconds. */
  static void lease(Checks checks, ApiClient client, String namespace) {
    CoordinationV1Api leases = new CoordinationV1Api(client);
    checks.check("a Lease keeps microseconds", () -> {
      OffsetDateTime now = OffsetDateTime.now(ZoneOffset.UTC).truncatedTo(ChronoUnit.SECONDS).plusNanos(123_456_000);
      V1Lease lease = new V1Lease().metadata(new V1ObjectMeta().name("lease"))
          .spec(new V1LeaseSpec().holderIdentity("me").leaseDurationSeconds(15).renewTime(now));
      leases.createNamespacedLease(namespace, lease).execute();
      Checks.same("the time", leases.readNamespacedLease("lease", namespace).execute().getSpec().getRenewTime(), now);
    });
  }

  static V1ConfigMap configMap(String name, String a) {
    return new V1ConfigMap().apiVersion("v1").kind("ConfigMap").metadata(new V1ObjectMeta().name(name)).putDataItem("a", a);
  }
}
