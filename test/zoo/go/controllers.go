package main

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// reconciler reads the object of a request and hands it over.
type reconciler struct {
	client.Client
	kind string
	one  func(context.Context, *unstructured.Unstructured) error
}

// Reconcile reconciles one object.
func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	found := object(r.kind)
	if err := r.Get(ctx, request.NamespacedName, found); err != nil {
		return ignoreNotFound(err)
	}
	return ctrl.Result{}, r.one(ctx, found)
}

var _ reconcile.Reconciler = &reconciler{}

func watch(manager ctrl.Manager, name string, r *reconciler) error {
	return ctrl.NewControllerManagedBy(manager).Named(name).For(object(r.kind)).Complete(r)
}

// copyOf returns the ConfigMap with the copy of a backup.
func copyOf(c client.Client, backup *unstructured.Unstructured) (*corev1.ConfigMap, error) {
	made := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: backup.GetNamespace(), Name: backup.GetName() + "-copy"},
		Data:       map[string]string{"source": text(backup, "spec", "source")},
	}
	return made, controllerutil.SetControllerReference(backup, made, c.Scheme())
}

func setPhase(ctx context.Context, c client.Client, of *unstructured.Unstructured, phase string) error {
	if err := unstructured.SetNestedField(of.Object, phase, "status", "phase"); err != nil {
		return err
	}
	return c.Status().Update(ctx, of)
}

// backups says that a backup is done before it is.
func backups(manager ctrl.Manager, given parts) error {
	c := manager.GetClient()
	return watch(manager, "backups", &reconciler{c, "Backup", func(ctx context.Context, backup *unstructured.Unstructured) error {
		if text(backup, "status", "phase") == "Done" {
			return nil
		}
		made, err := copyOf(c, backup)
		if err != nil {
			return err
		}
		store := func() error {
			if err := c.Create(ctx, made); !apierrors.IsAlreadyExists(err) {
				return err
			}
			return nil
		}
		if given.mended {
			if err := store(); err != nil {
				return err
			}
			return setPhase(ctx, c, backup, "Done")
		}
		if err := setPhase(ctx, c, backup, "Done"); err != nil {
			return err
		}
		return store()
	}})
}

// snapshots takes its own ConfigMap for that of somebody else.
func snapshots(manager ctrl.Manager, given parts) error {
	c := manager.GetClient()
	return watch(manager, "snapshots", &reconciler{c, "Backup", func(ctx context.Context, backup *unstructured.Unstructured) error {
		if text(backup, "status", "phase") != "" {
			return nil
		}
		made, err := copyOf(c, backup)
		if err != nil {
			return err
		}
		err = c.Create(ctx, made)
		if apierrors.IsAlreadyExists(err) {
			if given.mended {
				var there corev1.ConfigMap
				if err := manager.GetAPIReader().Get(ctx, client.ObjectKeyFromObject(made), &there); err != nil {
					return err
				}
				if metav1.IsControlledBy(&there, backup) {
					return setPhase(ctx, c, backup, "Done")
				}
			}
			return setPhase(ctx, c, backup, "Failed")
		}
		if err != nil {
			return err
		}
		return setPhase(ctx, c, backup, "Done")
	}})
}

const finalizer = "zoo.example.com/record"

// record is the ConfigMap in the namespace storage that stands for the bucket.
func record(bucket *unstructured.Unstructured) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: "storage", Name: bucket.GetName()},
		Data:       map[string]string{"region": text(bucket, "spec", "region")},
	}
}

// release removes the record, and then the finalizer.
func release(ctx context.Context, manager ctrl.Manager, bucket *unstructured.Unstructured, toleratesNotFound bool) error {
	there := record(bucket)
	err := manager.GetAPIReader().Get(ctx, client.ObjectKeyFromObject(there), there)
	if err == nil {
		err = manager.GetClient().Delete(ctx, there, client.Preconditions{UID: &there.UID})
	}
	if toleratesNotFound {
		err = client.IgnoreNotFound(err)
	}
	if err != nil {
		return err
	}
	controllerutil.RemoveFinalizer(bucket, finalizer)
	return client.IgnoreNotFound(manager.GetClient().Update(ctx, bucket))
}

// vaults does not remove its finalizer where the record is gone already.
func vaults(manager ctrl.Manager, given parts) error {
	c := manager.GetClient()
	return watch(manager, "vaults", &reconciler{c, "Bucket", func(ctx context.Context, bucket *unstructured.Unstructured) error {
		if !bucket.GetDeletionTimestamp().IsZero() {
			if !controllerutil.ContainsFinalizer(bucket, finalizer) {
				return nil
			}
			return release(ctx, manager, bucket, given.mended)
		}
		if controllerutil.AddFinalizer(bucket, finalizer) {
			return c.Update(ctx, bucket)
		}
		if err := c.Create(ctx, record(bucket)); !apierrors.IsAlreadyExists(err) {
			return err
		}
		return nil
	}})
}

// banners writes a ConfigMap of somebody else as it was in its cache.
func banners(manager ctrl.Manager, given parts) error {
	c := manager.GetClient()
	return watch(manager, "banners", &reconciler{c, "Banner", func(ctx context.Context, banner *unstructured.Unstructured) error {
		var target corev1.ConfigMap
		key := client.ObjectKey{Namespace: banner.GetNamespace(), Name: text(banner, "spec", "target")}
		if err := c.Get(ctx, key, &target); err != nil {
			return err
		}
		wanted := text(banner, "spec", "text")
		if target.Data["banner"] == wanted {
			return nil
		}
		changed := target.DeepCopy()
		if changed.Data == nil {
			changed.Data = map[string]string{}
		}
		changed.Data["banner"] = wanted
		if !given.mended {
			changed.ResourceVersion = ""
		}
		return c.Update(ctx, changed)
	}})
}
