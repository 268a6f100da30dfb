package main

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	applycore "k8s.io/client-go/applyconfigurations/core/v1"
	applymeta "k8s.io/client-go/applyconfigurations/meta/v1"
	applystorage "k8s.io/client-go/applyconfigurations/storage/v1"
)

// applying declares objects with the configurations that are generated for it.
func applying(s *session) {
	maps := s.clients.CoreV1().ConfigMaps(s.namespace)
	claims := s.clients.CoreV1().PersistentVolumeClaims(s.namespace)
	one := metav1.ApplyOptions{FieldManager: "one"}
	two := metav1.ApplyOptions{FieldManager: "two"}

	s.check("creates, changes and gives up fields", func(ctx context.Context) {
		value(maps.Apply(ctx, applycore.ConfigMap("applied", s.namespace).WithData(map[string]string{"a": "1", "b": "2"}), one))
		value(maps.Apply(ctx, applycore.ConfigMap("applied", s.namespace).WithData(map[string]string{"c": "3"}), two))
		got := value(maps.Apply(ctx, applycore.ConfigMap("applied", s.namespace).WithData(map[string]string{"a": "1"}), one))
		same("the number of data", len(got.Data), 2)
		same("what was given up", got.Data["b"], "")
		same("what is another's", got.Data["c"], "3")
	})
	s.check("conflicts, and forces", func(ctx context.Context) {
		mine := applycore.ConfigMap("applied", s.namespace).WithData(map[string]string{"a": "two's"})
		_, err := maps.Apply(ctx, mine, two)
		refused("one's field", err, errors.IsConflict)
		holds("the conflict's cause to name the field", errors.HasStatusCause(err, metav1.CauseTypeFieldManagerConflict))
		forced := two
		forced.Force = true
		same("a", value(maps.Apply(ctx, mine, forced)).Data["a"], "two's")
	})
	s.check("extracts what it owns, and applies it again", func(ctx context.Context) {
		got := value(maps.Get(ctx, "applied", metav1.GetOptions{}))
		mine := value(applycore.ExtractConfigMap(got, "two"))
		same("the number of its data", len(mine.Data), 1)
		again := value(maps.Apply(ctx, mine.WithLabels(map[string]string{"by": "two"}), two))
		same("the label", again.Labels["by"], "two")
		unchanged := value(maps.Apply(ctx, mine, two))
		same("the resourceVersion", unchanged.ResourceVersion, again.ResourceVersion)
	})
	s.check("a claim and its status are owned apart", func(ctx context.Context) {
		spec := applycore.PersistentVolumeClaimSpec().
			WithAccessModes(corev1.ReadWriteOnce).
			WithResources(applycore.VolumeResourceRequirements().
				WithRequests(corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("2Gi")}))
		value(claims.Apply(ctx, applycore.PersistentVolumeClaim("applied", s.namespace).
			WithSpec(spec).WithFinalizers("example.com/mine").
			WithOwnerReferences(applymeta.OwnerReference().WithAPIVersion("v1").WithKind("ConfigMap").
				WithName("applied").WithUID(value(maps.Get(ctx, "applied", metav1.GetOptions{})).UID)), one))
		status := applycore.PersistentVolumeClaim("applied", s.namespace).WithStatus(applycore.PersistentVolumeClaimStatus().
			WithPhase(corev1.ClaimPending).
			WithConditions(applycore.PersistentVolumeClaimCondition().
				WithType(corev1.PersistentVolumeClaimResizing).WithStatus(corev1.ConditionTrue)))
		got := value(claims.ApplyStatus(ctx, status, one))
		same("the condition", got.Status.Conditions[0].Type, corev1.PersistentVolumeClaimResizing)
		owned := value(applycore.ExtractPersistentVolumeClaimStatus(got, "one"))
		holds("no spec in the status", owned.Spec == nil)
		holds("a status in the status", owned.Status != nil)
	})
	s.check("what is of the cluster", func(ctx context.Context) {
		class := applystorage.StorageClass("applied").WithProvisioner("example.com/disks").
			WithVolumeBindingMode(storagev1.VolumeBindingImmediate).
			WithAllowedTopologies(applycore.TopologySelectorTerm().WithMatchLabelExpressions(
				applycore.TopologySelectorLabelRequirement().WithKey("zone").WithValues("a", "b")))
		got := value(s.clients.StorageV1().StorageClasses().Apply(ctx, class, one))
		same("the zones", len(got.AllowedTopologies[0].MatchLabelExpressions[0].Values), 2)
		must(s.clients.StorageV1().StorageClasses().Delete(ctx, "applied", metav1.DeleteOptions{}))
	})
}
