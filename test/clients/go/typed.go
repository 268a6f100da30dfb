package main

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/retry"
	"k8s.io/utils/ptr"
)

// typedClients does with a clientset what programs do with it, in each of the formats that one can be told to speak.
func typedClients(s *session) {
	tries := []struct {
		name string
		try  func(context.Context, kubernetes.Interface, string)
	}{
		{"create, get, update, patch, list, delete", changes},
		{"a stale update conflicts, and is retried", conflicts},
		{"a claim, its volume and its class, with their status", volumes},
		{"a watch", watching},
		{"errors are what the library tells apart", refusals},
		{"many are deleted at once", sweeping},
		{"binary data and secrets come back as they were", binary},
	}
	for _, format := range []struct{ name, contentType, accepts string }{
		{"in JSON", runtime.ContentTypeJSON, ""},
		{"in protobuf", runtime.ContentTypeProtobuf, ""},
		{"in protobuf, with JSON answers too", runtime.ContentTypeProtobuf, runtime.ContentTypeProtobuf + "," + runtime.ContentTypeJSON},
	} {
		config := rest.CopyConfig(s.config)
		config.ContentType, config.AcceptContentTypes = format.contentType, format.accepts
		clients := kubernetes.NewForConfigOrDie(config)
		for _, one := range tries {
			s.check(one.name+", "+format.name, func(ctx context.Context) { one.try(ctx, clients, s.namespace) })
		}
	}
}

func changes(ctx context.Context, clients kubernetes.Interface, namespace string) {
	maps := clients.CoreV1().ConfigMaps(namespace)
	made := value(maps.Create(ctx, &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "typed-", Labels: map[string]string{"of": "changes"}},
		Data:       map[string]string{"a": "1"},
	}, metav1.CreateOptions{FieldManager: "go-clients"}))
	holds("a uid", made.UID != "")
	holds("a time of creation", !made.CreationTimestamp.IsZero())
	same("the manager", made.ManagedFields[0].Manager, "go-clients")
	same("who made the fields known", made.ManagedFields[0].Operation, metav1.ManagedFieldsOperationUpdate)

	got := value(maps.Get(ctx, made.Name, metav1.GetOptions{}))
	got.Data["b"] = "2"
	changed := value(maps.Update(ctx, got, metav1.UpdateOptions{}))
	holds("another resourceVersion", changed.ResourceVersion != made.ResourceVersion)
	for _, patch := range []struct {
		kind types.PatchType
		text string
	}{
		{types.JSONPatchType, `[{"op":"add","path":"/data/c","value":"3"}]`},
		{types.MergePatchType, `{"data":{"d":"4","a":null}}`},
		{types.StrategicMergePatchType, `{"metadata":{"finalizers":["example.com/f"]},"data":{"e":"5"}}`},
	} {
		value(maps.Patch(ctx, made.Name, patch.kind, []byte(patch.text), metav1.PatchOptions{}))
	}
	listed := value(maps.List(ctx, metav1.ListOptions{LabelSelector: labels.Set{"of": "changes"}.String()}))
	same("the length of the list", len(listed.Items), 1)
	same("the number of data", len(listed.Items[0].Data), 4)
	same("e", listed.Items[0].Data["e"], "5")

	must(maps.Delete(ctx, made.Name, metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(string(made.UID))}))
	ending := value(maps.Get(ctx, made.Name, metav1.GetOptions{}))
	holds("a time of deletion", ending.DeletionTimestamp != nil)
	ending.Finalizers = nil
	value(maps.Update(ctx, ending, metav1.UpdateOptions{}))
	_, err := maps.Get(ctx, made.Name, metav1.GetOptions{})
	refused("what is gone", err, errors.IsNotFound)
}

func conflicts(ctx context.Context, clients kubernetes.Interface, namespace string) {
	maps := clients.CoreV1().ConfigMaps(namespace)
	first := value(maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "typed-"}}, metav1.CreateOptions{}))
	second := first.DeepCopy()
	first.Data = map[string]string{"a": "1"}
	value(maps.Update(ctx, first, metav1.UpdateOptions{}))
	second.Data = map[string]string{"b": "2"}
	_, err := maps.Update(ctx, second, metav1.UpdateOptions{})
	refused("the stale one", err, errors.IsConflict)
	must(retry.RetryOnConflict(retry.DefaultRetry, func() error {
		newest := value(maps.Get(ctx, first.Name, metav1.GetOptions{}))
		newest.Data["b"] = "2"
		_, err := maps.Update(ctx, newest, metav1.UpdateOptions{})
		return err
	}))
	must(maps.Delete(ctx, first.Name, metav1.DeleteOptions{}))
}

func volumes(ctx context.Context, clients kubernetes.Interface, namespace string) {
	class := value(clients.StorageV1().StorageClasses().Create(ctx, &storagev1.StorageClass{
		ObjectMeta:        metav1.ObjectMeta{GenerateName: "typed-"},
		Provisioner:       "example.com/disks",
		VolumeBindingMode: ptr.To(storagev1.VolumeBindingWaitForFirstConsumer),
		Parameters:        map[string]string{"kind": "fast"},
	}, metav1.CreateOptions{}))
	same("the default policy", *class.ReclaimPolicy, corev1.PersistentVolumeReclaimDelete)

	claims := clients.CoreV1().PersistentVolumeClaims(namespace)
	claim := value(claims.Create(ctx, &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "typed-"},
		Spec: corev1.PersistentVolumeClaimSpec{
			StorageClassName: &class.Name,
			AccessModes:      []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Resources: corev1.VolumeResourceRequirements{
				Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")},
			},
		},
	}, metav1.CreateOptions{}))
	same("the phase", claim.Status.Phase, corev1.ClaimPending)
	same("the mode", *claim.Spec.VolumeMode, corev1.PersistentVolumeFilesystem)

	disks := clients.CoreV1().PersistentVolumes()
	volume := value(disks.Create(ctx, &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "typed-"},
		Spec: corev1.PersistentVolumeSpec{
			Capacity:         corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")},
			AccessModes:      []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			StorageClassName: class.Name,
			ClaimRef:         &corev1.ObjectReference{Namespace: namespace, Name: claim.Name, UID: claim.UID},
			PersistentVolumeSource: corev1.PersistentVolumeSource{
				CSI: &corev1.CSIPersistentVolumeSource{Driver: "example.com", VolumeHandle: "disk-1"},
			},
		},
	}, metav1.CreateOptions{}))
	volume.Status.Phase = corev1.VolumeBound
	volume = value(disks.UpdateStatus(ctx, volume, metav1.UpdateOptions{}))
	same("the phase of the volume", volume.Status.Phase, corev1.VolumeBound)

	claim.Spec.VolumeName = volume.Name
	claim = value(claims.Update(ctx, claim, metav1.UpdateOptions{}))
	claim.Status.Phase = corev1.ClaimBound
	claim.Status.Capacity = volume.Spec.Capacity
	claim.Status.AccessModes = volume.Spec.AccessModes
	claim = value(claims.UpdateStatus(ctx, claim, metav1.UpdateOptions{}))
	same("the phase of the claim", claim.Status.Phase, corev1.ClaimBound)
	same("its capacity", claim.Status.Capacity.Storage().String(), "1Gi")

	attachment := value(clients.StorageV1().VolumeAttachments().Create(ctx, &storagev1.VolumeAttachment{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "typed-"},
		Spec: storagev1.VolumeAttachmentSpec{
			Attacher: "example.com", NodeName: "node-1",
			Source: storagev1.VolumeAttachmentSource{PersistentVolumeName: &volume.Name},
		},
	}, metav1.CreateOptions{}))
	attachment.Status = storagev1.VolumeAttachmentStatus{Attached: true, AttachmentMetadata: map[string]string{"lun": "3"}}
	attachment = value(clients.StorageV1().VolumeAttachments().UpdateStatus(ctx, attachment, metav1.UpdateOptions{}))
	holds("it to be attached", attachment.Status.Attached)

	must(clients.StorageV1().VolumeAttachments().Delete(ctx, attachment.Name, metav1.DeleteOptions{}))
	must(claims.Delete(ctx, claim.Name, metav1.DeleteOptions{}))
	must(disks.Delete(ctx, volume.Name, metav1.DeleteOptions{}))
	must(clients.StorageV1().StorageClasses().Delete(ctx, class.Name, metav1.DeleteOptions{}))
}

func watching(ctx context.Context, clients kubernetes.Interface, namespace string) {
	maps := clients.CoreV1().ConfigMaps(namespace)
	listed := value(maps.List(ctx, metav1.ListOptions{}))
	events := value(maps.Watch(ctx, metav1.ListOptions{
		ResourceVersion: listed.ResourceVersion, FieldSelector: "metadata.name=watched", TimeoutSeconds: ptr.To[int64](20),
	}))
	defer events.Stop()
	made := value(maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "watched"}}, metav1.CreateOptions{}))
	made.Data = map[string]string{"a": "1"}
	value(maps.Update(ctx, made, metav1.UpdateOptions{}))
	must(maps.Delete(ctx, "watched", metav1.DeleteOptions{}))
	for _, want := range []watch.EventType{watch.Added, watch.Modified, watch.Deleted} {
		event := <-events.ResultChan()
		same("the event", event.Type, want)
		same("its object", event.Object.(*corev1.ConfigMap).Name, "watched")
	}
}

func refusals(ctx context.Context, clients kubernetes.Interface, namespace string) {
	maps := clients.CoreV1().ConfigMaps(namespace)
	_, err := maps.Get(ctx, "missing", metav1.GetOptions{})
	refused("what is not there", err, errors.IsNotFound)
	_, err = maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "Not A Name"}}, metav1.CreateOptions{})
	refused("a wrong name", err, errors.IsInvalid)
	_, err = maps.Create(ctx, &corev1.ConfigMap{}, metav1.CreateOptions{})
	refused("no name", err, errors.IsInvalid)
	twice := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "twice"}}
	value(maps.Create(ctx, twice, metav1.CreateOptions{}))
	_, err = maps.Create(ctx, twice, metav1.CreateOptions{})
	refused("the second of a name", err, errors.IsAlreadyExists)
	must(maps.Delete(ctx, "twice", metav1.DeleteOptions{}))
	_, err = maps.Create(ctx, twice, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	must(err)
	_, err = maps.Get(ctx, "twice", metav1.GetOptions{})
	refused("what was a dry run", err, errors.IsNotFound)
	err = maps.Delete(ctx, "twice", metav1.DeleteOptions{})
	refused("a delete of nothing", err, errors.IsNotFound)
	_, err = clients.CoreV1().ConfigMaps("no-such-namespace").Create(ctx, twice, metav1.CreateOptions{})
	refused("a namespace that is not there", err, errors.IsNotFound)
}

func sweeping(ctx context.Context, clients kubernetes.Interface, namespace string) {
	secrets := clients.CoreV1().Secrets(namespace)
	for _, name := range []string{"one", "two", "three"} {
		value(secrets.Create(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"swept": "yes"}}}, metav1.CreateOptions{}))
	}
	must(secrets.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "swept=yes"}))
	same("what is left", len(value(secrets.List(ctx, metav1.ListOptions{LabelSelector: "swept"})).Items), 0)
}

func binary(ctx context.Context, clients kubernetes.Interface, namespace string) {
	bytes := make([]byte, 70_000)
	for i := range bytes {
		bytes[i] = byte(i * 7)
	}
	secrets := clients.CoreV1().Secrets(namespace)
	made := value(secrets.Create(ctx, &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "typed-"}, Data: map[string][]byte{"key": bytes}, StringData: map[string]string{"word": "ünï"},
	}, metav1.CreateOptions{}))
	got := value(secrets.Get(ctx, made.Name, metav1.GetOptions{}))
	same("the bytes", string(got.Data["key"]), string(bytes))
	same("the word", string(got.Data["word"]), "ünï")
	maps := clients.CoreV1().ConfigMaps(namespace)
	config := value(maps.Create(ctx, &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "typed-"}, BinaryData: map[string][]byte{"key": bytes}, Immutable: ptr.To(true),
	}, metav1.CreateOptions{}))
	same("the bytes", string(value(maps.Get(ctx, config.Name, metav1.GetOptions{})).BinaryData["key"]), string(bytes))
	config.BinaryData["key"] = nil
	_, err := maps.Update(ctx, config, metav1.UpdateOptions{})
	refused("a change of what is immutable", err, errors.IsInvalid)
}
