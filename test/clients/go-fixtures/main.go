// Writes bodies as Go clients send them: for each kind one with every field set and one with nothing but a name.
//
//	go run . ../../fixtures/protobuf
//
// Beside each body `x.bin` is `x.json`, the same object as JSON by the same types. Run it again when the versions in
// go.mod change; the tests read the files and need no Go.
package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	admissionv1alpha1 "k8s.io/api/admissionregistration/v1alpha1"
	admissionv1beta1 "k8s.io/api/admissionregistration/v1beta1"
	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	certificatesv1alpha1 "k8s.io/api/certificates/v1alpha1"
	certificatesv1beta1 "k8s.io/api/certificates/v1beta1"
	coordinationv1 "k8s.io/api/coordination/v1"
	coordinationv1alpha2 "k8s.io/api/coordination/v1alpha2"
	coordinationv1beta1 "k8s.io/api/coordination/v1beta1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	eventsv1 "k8s.io/api/events/v1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	networkingv1 "k8s.io/api/networking/v1"
	nodev1 "k8s.io/api/node/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	storagemigrationv1beta1 "k8s.io/api/storagemigration/v1beta1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

var kinds = map[schema.GroupVersion][]runtime.Object{
	corev1.SchemeGroupVersion: {
		&corev1.Binding{}, &corev1.ComponentStatus{}, &corev1.ConfigMap{}, &corev1.Endpoints{}, &corev1.Event{}, &corev1.Namespace{}, &corev1.Node{},
		&corev1.PersistentVolume{},
		&corev1.PersistentVolumeClaim{}, &corev1.Pod{}, &corev1.Secret{}, &corev1.Service{}, &corev1.ServiceAccount{},
		&corev1.PodTemplate{}, &corev1.ReplicationController{}, &corev1.LimitRange{}, &corev1.ResourceQuota{}, &metav1.DeleteOptions{},
	},
	admissionv1.SchemeGroupVersion: {
		&admissionv1.MutatingWebhookConfiguration{}, &admissionv1.ValidatingAdmissionPolicy{},
		&admissionv1.ValidatingAdmissionPolicyBinding{}, &admissionv1.ValidatingWebhookConfiguration{},
	},
	admissionv1alpha1.SchemeGroupVersion: {
		&admissionv1alpha1.MutatingAdmissionPolicy{}, &admissionv1alpha1.MutatingAdmissionPolicyBinding{},
	},
	admissionv1beta1.SchemeGroupVersion: {
		&admissionv1beta1.MutatingAdmissionPolicy{}, &admissionv1beta1.MutatingAdmissionPolicyBinding{},
	},
	appsv1.SchemeGroupVersion: {
		&appsv1.ControllerRevision{}, &appsv1.DaemonSet{}, &appsv1.Deployment{}, &appsv1.ReplicaSet{}, &appsv1.StatefulSet{},
	},
	apiextensionsv1.SchemeGroupVersion:   {&apiextensionsv1.CustomResourceDefinition{}},
	apiregistrationv1.SchemeGroupVersion: {&apiregistrationv1.APIService{}},
	autoscalingv1.SchemeGroupVersion:     {&autoscalingv1.HorizontalPodAutoscaler{}, &autoscalingv1.Scale{}},
	autoscalingv2.SchemeGroupVersion:     {&autoscalingv2.HorizontalPodAutoscaler{}},
	authenticationv1.SchemeGroupVersion:  {&authenticationv1.SelfSubjectReview{}, &authenticationv1.TokenRequest{}, &authenticationv1.TokenReview{}},
	authorizationv1.SchemeGroupVersion: {
		&authorizationv1.SelfSubjectAccessReview{}, &authorizationv1.SelfSubjectRulesReview{},
		&authorizationv1.SubjectAccessReview{}, &authorizationv1.LocalSubjectAccessReview{},
	},
	batchv1.SchemeGroupVersion:              {&batchv1.CronJob{}, &batchv1.Job{}},
	coordinationv1.SchemeGroupVersion:       {&coordinationv1.Lease{}},
	coordinationv1alpha2.SchemeGroupVersion: {&coordinationv1alpha2.LeaseCandidate{}},
	coordinationv1beta1.SchemeGroupVersion:  {&coordinationv1beta1.LeaseCandidate{}},
	networkingv1.SchemeGroupVersion: {
		&networkingv1.Ingress{}, &networkingv1.IngressClass{}, &networkingv1.IPAddress{}, &networkingv1.NetworkPolicy{},
		&networkingv1.ServiceCIDR{},
	},
	discoveryv1.SchemeGroupVersion: {&discoveryv1.EndpointSlice{}},
	eventsv1.SchemeGroupVersion:    {&eventsv1.Event{}},
	flowcontrolv1.SchemeGroupVersion: {
		&flowcontrolv1.FlowSchema{}, &flowcontrolv1.PriorityLevelConfiguration{},
	},
	policyv1.SchemeGroupVersion:             {&policyv1.Eviction{}, &policyv1.PodDisruptionBudget{}},
	nodev1.SchemeGroupVersion:               {&nodev1.RuntimeClass{}},
	discoveryv1.SchemeGroupVersion:          {&discoveryv1.EndpointSlice{}},
	eventsv1.SchemeGroupVersion:             {&eventsv1.Event{}},
	policyv1.SchemeGroupVersion:             {&policyv1.Eviction{}, &policyv1.PodDisruptionBudget{}},
	nodev1.SchemeGroupVersion:               {&nodev1.RuntimeClass{}},
	certificatesv1.SchemeGroupVersion:       {&certificatesv1.CertificateSigningRequest{}},
	certificatesv1alpha1.SchemeGroupVersion: {&certificatesv1alpha1.ClusterTrustBundle{}},
	certificatesv1beta1.SchemeGroupVersion: {
		&certificatesv1beta1.ClusterTrustBundle{}, &certificatesv1beta1.PodCertificateRequest{},
	},
	discoveryv1.SchemeGroupVersion: {&discoveryv1.EndpointSlice{}},
	eventsv1.SchemeGroupVersion:    {&eventsv1.Event{}},
	policyv1.SchemeGroupVersion:    {&policyv1.Eviction{}, &policyv1.PodDisruptionBudget{}},
	rbacv1.SchemeGroupVersion: {
		&rbacv1.ClusterRole{}, &rbacv1.ClusterRoleBinding{}, &rbacv1.Role{}, &rbacv1.RoleBinding{},
	},
	resourcev1.SchemeGroupVersion: {
		&resourcev1.DeviceClass{}, &resourcev1.ResourceClaim{}, &resourcev1.ResourceClaimTemplate{}, &resourcev1.ResourceSlice{},
	},
	schedulingv1.SchemeGroupVersion: {&schedulingv1.PriorityClass{}},
	storagev1.SchemeGroupVersion: {
		&storagev1.CSIDriver{}, &storagev1.CSINode{}, &storagev1.CSIStorageCapacity{}, &storagev1.StorageClass{},
		&storagev1.VolumeAttachment{}, &storagev1.VolumeAttributesClass{},
	},
	storagemigrationv1beta1.SchemeGroupVersion: {&storagemigrationv1beta1.StorageVersionMigration{}},
	metav1.SchemeGroupVersion:                  {&metav1.PartialObjectMetadata{}},
}

// Fields that the server does not serve.
var left = map[string]bool{
	"ServiceSpec.SessionAffinityConfig":     true,
	"ServiceSpec.TrafficDistribution":       true,
	"LoadBalancerIngress.IPMode":            true,
	"LoadBalancerIngress.Ports":             true,
	"PodSpec.WorkloadRef":                   true,
	"PodStatus.ExtendedResourceClaimStatus": true,
}

// The moment that times are set to; its microseconds are seen in MicroTime only.
var moment = time.Date(2031, 2, 3, 4, 5, 6, 789012000, time.UTC)

var count int64

// A schema holds schemas; the inner ones hold no more.
var depth = 0

func leaf() *apiextensionsv1.JSONSchemaProps {
	schema := &apiextensionsv1.JSONSchemaProps{}
	fill(reflect.ValueOf(schema).Elem(), "")
	return schema
}

func holdsSchemas(t reflect.Type) bool {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	return strings.HasPrefix(t.Name(), "JSONSchemaProps")
}

// Sets every field to something that is not its zero.
func fill(v reflect.Value, name string) {
	count++
	switch v.Interface().(type) {
	case metav1.Time:
		v.Set(reflect.ValueOf(metav1.NewTime(moment)))
		return
	case metav1.MicroTime:
		v.Set(reflect.ValueOf(metav1.NewMicroTime(moment)))
		return
	case resource.Quantity:
		v.Set(reflect.ValueOf(resource.MustParse("3Gi")))
		return
	case metav1.FieldsV1:
		v.Set(reflect.ValueOf(metav1.FieldsV1{Raw: []byte(`{"f:data":{".":{},"f:k":{}}}`)}))
		return
	case runtime.RawExtension:
		v.Set(reflect.ValueOf(runtime.RawExtension{Raw: []byte(`{"a":[1,null,"x"],"b":{"c":1.5}}`)}))
		return
	case intstr.IntOrString:
		if count%2 == 0 {
			v.Set(reflect.ValueOf(intstr.FromInt32(8080)))
		} else {
			v.Set(reflect.ValueOf(intstr.FromString("http")))
		}
		return
	}
	switch either := v.Addr().Interface().(type) {
	case *apiextensionsv1.JSON:
		either.Raw = []byte(`{"a":[1,null,"x"]}`)
		return
	case *apiextensionsv1.JSONSchemaPropsOrArray:
		if count%2 == 0 {
			either.Schema = leaf()
		} else {
			either.JSONSchemas = []apiextensionsv1.JSONSchemaProps{*leaf(), *leaf()}
		}
		return
	case *apiextensionsv1.JSONSchemaPropsOrBool:
		either.Allows = true
		if count%2 == 0 {
			either.Schema = leaf()
		}
		return
	case *apiextensionsv1.JSONSchemaPropsOrStringArray:
		if count%2 == 0 {
			either.Schema = leaf()
		} else {
			either.Property = []string{"a", "b"}
		}
		return
	case *apiextensionsv1.JSONSchemaProps:
		depth++
		defer func() { depth-- }()
	}
	switch v.Kind() {
	case reflect.Float64:
		v.SetFloat(float64(count) + 0.25)
	case reflect.String:
		v.SetString(name + "-ä")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int32:
		v.SetInt(count*100_003%2_000_000_000 - 1_000_000_000)
	case reflect.Int64:
		v.SetInt(count*7_000_000_000_007%9_000_000_000_000_000 - 4_000_000_000_000_000)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), name)
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes([]byte{0, 1, 254, 255})
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0), name+"0")
		fill(v.Index(1), name+"1")
	case reflect.Map:
		item := reflect.New(v.Type().Elem()).Elem()
		fill(item, name)
		key := reflect.New(v.Type().Key()).Elem()
		key.SetString(name + "/k")
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, item)
	case reflect.Struct:
		for i := range v.NumField() {
			field := v.Type().Field(i)
			if depth > 1 && holdsSchemas(field.Type) {
				continue
			}
			if field.Type == reflect.TypeFor[metav1.TypeMeta]() || left[v.Type().Name()+"."+field.Name] {
				continue
			}
			fill(v.Field(i), strings.Split(field.Tag.Get("json"), ",")[0])
		}
	default:
		panic("cannot fill " + v.Type().String())
	}
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	folder := os.Args[1]
	scheme := runtime.NewScheme()
	serializer := protobuf.NewSerializer(scheme, scheme)
	write := func(object runtime.Object, gv schema.GroupVersion, form string) {
		kind := reflect.TypeOf(object).Elem().Name()
		object.GetObjectKind().SetGroupVersionKind(gv.WithKind(kind))
		var body bytes.Buffer
		check(serializer.Encode(object, &body))
		text, err := json.Marshal(object)
		check(err)
		name := strings.ReplaceAll(strings.ToLower(kind), " ", "") + "." + gv.Version
		if gv.Group != "" {
			name += "." + strings.Split(gv.Group, ".")[0]
		}
		check(os.WriteFile(filepath.Join(folder, name+"."+form+".bin"), body.Bytes(), 0o644))
		check(os.WriteFile(filepath.Join(folder, name+"."+form+".json"), append(text, '\n'), 0o644))
	}
	for gv, objects := range kinds {
		for _, object := range objects {
			if named, ok := object.(metav1.Object); ok {
				named.SetName("n")
				named.SetUID(types.UID(""))
			}
			write(object, gv, "bare")
			count = 0
			fill(reflect.ValueOf(object).Elem(), "")
			write(object, gv, "full")
		}
	}
}
