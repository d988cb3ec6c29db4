package httpapi

import "net/netip"

// Network is a range of addresses that one client may control.
type Network struct {
	// Prefix is an IPv4 address, an IPv6 /64 or an IPv6 /48.
	Prefix string
	// Factor multiplies the limit for one client.
	Factor int
}

// WideFactor is how many times a client's limit an IPv6 /48 may use. Some providers assign a whole
// /48 to one customer, others a /64.
const WideFactor = 16

// Networks returns the networks for which a request from the address is counted, smallest first. It
// returns nil if the address is not an IP address.
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

// Client returns the smallest of Networks, which usually belongs to one customer: an IPv4 address
// or an IPv6 /64. It is "" if the address is not an IP address.
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

// Wide returns the /48 of an IPv6 address, or "" for IPv4 and invalid addresses.
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
