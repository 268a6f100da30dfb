import com.google.gson.reflect.TypeToken;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.util.Watch;
import io.kubernetes.client.util.Watchable;
import io.kubernetes.client.util.generic.dynamic.DynamicKubernetesApi;
import io.kubernetes.client.util.generic.dynamic.DynamicKubernetesObject;
import io.kubernetes.client.util.generic.options.ListOptions;
import java.lang.reflect.Type;

/** Watches, line by line. */
final class Watches implements Main.Play {
  @Override
  public void play(Checks checks, ApiClient client, String namespace) {
    CoreV1Api core = new CoreV1Api(client);
    Type type = new TypeToken<Watch.Response<V1ConfigMap>>() {}.getType();

    checks.check("changes come one by one", () -> {
      String version = core.listNamespacedConfigMap(namespace).execute().getMetadata().getResourceVersion();
      try (Watch<V1ConfigMap> watch = Watch.createWatch(client, core.listNamespacedConfigMap(namespace).watch(true)
          .resourceVersion(version).fieldSelector("metadata.name=watched").buildCall(null), type)) {
        V1ConfigMap made = core.createNamespacedConfigMap(namespace, Typed.configMap("watched", "1")).execute();
        core.replaceNamespacedConfigMap("watched", namespace, made.putDataItem("a", "2")).execute();
        core.deleteNamespacedConfigMap("watched", namespace).execute();
        for (String expected : new String[] {"ADDED", "MODIFIED", "DELETED"}) {
          Watch.Response<V1ConfigMap> event = watch.next();
          Checks.same("the event", event.type, expected);
          Checks.same("its object", event.object.getMetadata().getName(), "watched");
        }
      }
    });
    checks.check("a watch ends when its time is over", () -> {
      try (Watch<V1ConfigMap> watch = Watch.createWatch(client,
          core.listNamespacedConfigMap(namespace).watch(true).timeoutSeconds(1).allowWatchBookmarks(true).buildCall(null), type)) {
        while (watch.hasNext()) watch.next();
      }
    });
    checks.check("a watch without types", () -> {
      DynamicKubernetesApi maps = new DynamicKubernetesApi("", "v1", "configmaps", client);
      try (Watchable<DynamicKubernetesObject> watch = maps.watch(namespace, new ListOptions().labelSelector("seen"))) {
        V1ConfigMap one = Typed.configMap("seen", "1");
        one.getMetadata().putLabelsItem("seen", "yes");
        core.createNamespacedConfigMap(namespace, one).execute();
        Watch.Response<DynamicKubernetesObject> event = watch.next();
        Checks.same("the event", event.type, "ADDED");
        Checks.same("its object", event.object.getMetadata().getName(), "seen");
      }
    });
  }
}
