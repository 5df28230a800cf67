package v1alpha1

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/conversion"

	edgev1 "example.com/gateway/api/v1"
)

const (
	root = "/"
	// hubAnnotation keeps what v1alpha1 cannot say.
	hubAnnotation = "edge.example.com/v1"
)

// ConvertTo converts this Gateway (v1alpha1) to the Hub version (v1).
func (src *Gateway) ConvertTo(dstRaw conversion.Hub) error {
	dst := dstRaw.(*edgev1.Gateway)
	dst.ObjectMeta = src.ObjectMeta
	dst.Status.ObservedGeneration = src.Status.ObservedGeneration
	dst.Status.Conditions = src.Status.Conditions
	if src.Spec.Host != "" {
		dst.Spec.Hosts = []edgev1.Host{edgev1.Host(src.Spec.Host)}
	}
	dst.Spec.Routes = []edgev1.Route{{Path: root, Service: src.Spec.Service, Port: src.Spec.Port}}
	dst.Spec.TimeoutMs = src.Spec.TimeoutSeconds * 1000
	return restore(src, dst)
}

// ConvertFrom converts the Hub version (v1) to this Gateway (v1alpha1).
func (dst *Gateway) ConvertFrom(srcRaw conversion.Hub) error {
	src := srcRaw.(*edgev1.Gateway)
	if len(src.Spec.Routes) == 0 {
		return errors.New("spec.routes is empty: v1alpha1 shows one")
	}
	dst.ObjectMeta = src.ObjectMeta
	dst.Spec = specOf(&src.Spec)
	dst.Status.ObservedGeneration = src.Status.ObservedGeneration
	dst.Status.Conditions = src.Status.Conditions
	kept, err := json.Marshal(src.Spec)
	if err != nil {
		return err
	}
	dst.Annotations = maps.Clone(src.Annotations)
	if dst.Annotations == nil {
		dst.Annotations = map[string]string{}
	}
	dst.Annotations[hubAnnotation] = string(kept)
	return nil
}

// restore gives back what the annotation keeps, unless it was changed in v1alpha1.
func restore(src *Gateway, dst *edgev1.Gateway) error {
	value, ok := src.Annotations[hubAnnotation]
	if !ok {
		return nil
	}
	dst.Annotations = maps.Clone(src.Annotations)
	delete(dst.Annotations, hubAnnotation)
	var kept edgev1.GatewaySpec
	if err := json.Unmarshal([]byte(value), &kept); err != nil {
		return fmt.Errorf("annotation %s: %w", hubAnnotation, err)
	}
	if len(kept.Routes) == 0 {
		return nil
	}
	shown := specOf(&kept)
	if src.Spec.Host == shown.Host {
		dst.Spec.Hosts = kept.Hosts
	} else if src.Spec.Host != "" && len(kept.Hosts) > 0 {
		dst.Spec.Hosts = append(dst.Spec.Hosts, kept.Hosts[1:]...)
	}
	dst.Spec.Routes = kept.Routes
	route := &dst.Spec.Routes[mainRoute(kept.Routes)]
	route.Service, route.Port = src.Spec.Service, src.Spec.Port
	if src.Spec.TimeoutSeconds == shown.TimeoutSeconds {
		dst.Spec.TimeoutMs = kept.TimeoutMs
	}
	return nil
}

func specOf(hub *edgev1.GatewaySpec) GatewaySpec {
	route := hub.Routes[mainRoute(hub.Routes)]
	spec := GatewaySpec{
		Service:        route.Service,
		Port:           route.Port,
		TimeoutSeconds: (hub.TimeoutMs + 999) / 1000,
	}
	if len(hub.Hosts) > 0 {
		spec.Host = string(hub.Hosts[0])
	}
	return spec
}

// mainRoute is the index of the route that v1alpha1 shows: the one of all paths, or else the first.
func mainRoute(routes []edgev1.Route) int {
	return max(0, slices.IndexFunc(routes, func(route edgev1.Route) bool { return route.Path == root }))
}
