import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.apis.StorageV1Api;
import io.kubernetes.client.openapi.models.V1CSIPersistentVolumeSource;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1PersistentVolume;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaimSpec;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaimStatus;
import io.kubernetes.client.openapi.models.V1PersistentVolumeSpec;
import io.kubernetes.client.openapi.models.V1StorageClass;
import io.kubernetes.client.openapi.models.V1VolumeResourceRequirements;
import java.util.Map;

/** Classes, volumes and claims. */
final class Storage implements Main.Play {
  @Override
  public void play(Checks checks, ApiClient client, String namespace) {
    CoreV1Api core = new CoreV1Api(client);
    StorageV1Api storage = new StorageV1Api(client);
    Map<String, Quantity> size = Map.of("storage", new Quantity("1536Mi"));

    checks.check("a StorageClass with its defaults", () -> {
      V1StorageClass made = storage.createStorageClass(new V1StorageClass().metadata(new V1ObjectMeta().name("java"))
          .provisioner("example.com/disks").putParametersItem("kind", "fast")).execute();
      Checks.same("the policy", made.getReclaimPolicy(), "Delete");
      Checks.same("the mode", made.getVolumeBindingMode(), "Immediate");
      storage.replaceStorageClass("java", made.allowVolumeExpansion(true)).execute();
      Checks.same("the expansion", storage.readStorageClass("java").execute().getAllowVolumeExpansion(), true);
    });
    checks.check("a claim and a volume, with their status", () -> {
      V1PersistentVolume volume = core.createPersistentVolume(new V1PersistentVolume().metadata(new V1ObjectMeta().name("java"))
          .spec(new V1PersistentVolumeSpec().capacity(size).addAccessModesItem("ReadWriteOnce").storageClassName("java")
              .csi(new V1CSIPersistentVolumeSource().driver("example.com").volumeHandle("1")))).execute();
      V1PersistentVolumeClaim claim = core.createNamespacedPersistentVolumeClaim(namespace,
          new V1PersistentVolumeClaim().metadata(new V1ObjectMeta().name("claim"))
              .spec(new V1PersistentVolumeClaimSpec().addAccessModesItem("ReadWriteOnce").storageClassName("java")
                  .volumeName(volume.getMetadata().getName())
                  .resources(new V1VolumeResourceRequirements().requests(size)))).execute();
      Checks.same("the phase", claim.getStatus().getPhase(), "Pending");
      claim.setStatus(new V1PersistentVolumeClaimStatus().phase("Bound").capacity(size).addAccessModesItem("ReadWriteOnce"));
      claim = core.replaceNamespacedPersistentVolumeClaimStatus("claim", namespace, claim).execute();
      Checks.same("the phase", claim.getStatus().getPhase(), "Bound");
      Checks.same("the capacity", claim.getStatus().getCapacity(), size);
      core.deleteNamespacedPersistentVolumeClaim("claim", namespace).execute();
      core.deletePersistentVolume("java").execute();
      storage.deleteStorageClass("java").execute();
    });
    Typed.lease(checks, client, namespace);
  }
}
