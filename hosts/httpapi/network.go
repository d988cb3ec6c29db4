package httpapi

import "net/netip"

// Network is a range of addresses that one client may control.
type Network struct {
	// Prefix is an IPv4 address, an IPv6 /64 or an IPv6 /48.
	Prefix string
	// Factor multiplies a limit that is meant for one client.
	Factor int
}

// WideFactor is how many times the limit of a client an IPv6 /48 has. A provider may assign a
// whole /48 to one customer, or a /64 of it to each.
const WideFactor = 16

// Networks returns the networks that a request from the address counts for, smallest first;
// none if it is not an IP address.
func Networks(address string) []Network {
	ip, ok := clientAddr(address)
	if !ok {
		return nil
	}
	if ip.Is4() {
		return []Network{{ip.String(), 1}}
	}
	return []Network{{prefix(ip, 64), 1}, {prefix(ip, 48), WideFactor}}
}

// Client returns the smallest network of Networks: an IPv4 address or an IPv6 /64, which one
// customer has. It is "" if the address is not an IP address.
func Client(address string) string {
	ip, ok := clientAddr(address)
	switch {
	case !ok:
		return ""
	case ip.Is4():
		return ip.String()
	}
	return prefix(ip, 64)
}

// Wide returns the IPv6 /48 of an address, "" for every other address.
func Wide(address string) string {
	ip, ok := clientAddr(address)
	if !ok || ip.Is4() {
		return ""
	}
	return prefix(ip, 48)
}

func clientAddr(address string) (netip.Addr, bool) {
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return netip.Addr{}, false
	}
	return ip.Unmap().WithZone(""), true
}

func prefix(ip netip.Addr, bits int) string {
	p, err := ip.Prefix(bits)
	if err != nil {
		return ""
	}
	return p.String()
}
