//! Which addresses may be asked: public ones, and those that the configuration names.
//!
//! In: an address before a request. Out: leave, or a refusal that names it. Literal addresses are judged here, since
//! the client never asks its resolver for them; names are judged by [`Resolver`], which hands out admitted addresses
//! only, so that there is no second look-up to rebind. Behind a proxy the proxy looks names up, so there only literal
//! addresses are judged. Networks: the IANA special-purpose registries.

use crate::model::{AllowPrivate, ErrorKind, Failure};
use ipnet::IpNet;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::{Arc, LazyLock};
use url::{Host, Url};

/// IPv4 networks that are not public (IANA special-purpose registry).
static PRIVATE_V4: LazyLock<Vec<IpNet>> = LazyLock::new(|| {
    [
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.88.99.0/24",
        "192.168.0.0/16",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",
        "240.0.0.0/4",
    ]
    .iter()
    .filter_map(|n| n.parse().ok())
    .collect()
});

/// IPv6 networks within `2000::/3` that are not public all the same.
static PRIVATE_V6: LazyLock<Vec<IpNet>> =
    LazyLock::new(|| ["2001::/23", "2001:db8::/32", "3fff::/20"].iter().filter_map(|n| n.parse().ok()).collect());

/// Admits an address, or says why not.
pub(super) fn admit(url: &Url, allow: &AllowPrivate) -> Result<(), Failure> {
    let refuse = |why: &str| Err(Failure::new(ErrorKind::RefusedAddress, format!("`{url}` {why}")));
    if !matches!(url.scheme(), "http" | "https") {
        return Err(Failure::new(ErrorKind::Redirect, format!("`{url}` is no http or https address")));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(Failure::new(ErrorKind::RefusedAddress, "an address with a user name or password is not asked"));
    }
    let port = url.port_or_known_default().unwrap_or(0);
    let odd_port = !matches!(port, 80 | 443 | 1024..);
    let literal = match url.host() {
        Some(Host::Ipv4(ip)) => IpAddr::V4(ip),
        Some(Host::Ipv6(ip)) => IpAddr::V6(ip),
        Some(Host::Domain(name)) => {
            let name = name.trim_end_matches('.');
            let here = [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)];
            let local = name == "localhost" || name.ends_with(".localhost");
            if names(allow, name) {
                return Ok(());
            }
            if local && !here.iter().any(|ip| admits(allow, *ip)) {
                return refuse("is this machine; allow it with `allow_private`");
            }
            return if odd_port { refuse(ODD_PORT) } else { Ok(()) };
        }
        None => return refuse("has no host"),
    };
    if !admits(allow, literal) {
        return refuse("is no public address; allow it with `allow_private`");
    }
    if odd_port && is_public(embedded(literal)) && *allow != AllowPrivate::Yes {
        return refuse(ODD_PORT);
    }
    Ok(())
}

/// What is said of ports such as 22 and 25.
const ODD_PORT: &str = "has a port on which no website answers; allow its host by name with `allow_private`";

/// Whether the configuration names the host of an address.
pub(super) fn named(url: &Url, allow: &AllowPrivate) -> bool {
    url.host_str().is_some_and(|host| names(allow, host.trim_end_matches('.')))
}

/// Whether the configuration names a host.
fn names(allow: &AllowPrivate, host: &str) -> bool {
    match allow {
        AllowPrivate::No => false,
        AllowPrivate::Yes => true,
        AllowPrivate::Only { hosts, .. } => hosts.iter().any(|h| h == host),
    }
}

/// Whether an address may be asked.
pub(super) fn admits(allow: &AllowPrivate, ip: IpAddr) -> bool {
    let inner = embedded(ip);
    match allow {
        AllowPrivate::Yes => true,
        AllowPrivate::Only { nets, .. } if nets.iter().any(|n| n.contains(&ip) || n.contains(&inner)) => true,
        _ => is_public(inner),
    }
}

/// The IPv4 address inside an IPv6 one: mapped, NAT64 or 6to4.
fn embedded(ip: IpAddr) -> IpAddr {
    let IpAddr::V6(v6) = ip else { return ip };
    if let Some(v4) = v6.to_ipv4_mapped() {
        return IpAddr::V4(v4);
    }
    let v4 = |high: u16, low: u16| IpAddr::V4(Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low)));
    match v6.segments() {
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] | [0x2002, high, low, ..] => v4(high, low),
        _ => ip,
    }
}

fn is_public(ip: IpAddr) -> bool {
    let listed = |nets: &[IpNet]| nets.iter().any(|n| n.contains(&ip));
    match ip {
        IpAddr::V4(_) => !listed(&PRIVATE_V4),
        IpAddr::V6(v6) => is_global_unicast(v6) && !listed(&PRIVATE_V6),
    }
}

fn is_global_unicast(ip: Ipv6Addr) -> bool {
    ip.segments()[0] & 0xe000 == 0x2000
}

/// The refusal that a failed exchange holds, if the resolver refused the name.
pub(super) fn refused(error: &reqwest::Error) -> Option<Failure> {
    let mut cause: Option<&dyn std::error::Error> = Some(error);
    while let Some(e) = cause {
        if let Some(refused) = e.downcast_ref::<Refused>() {
            return Some(Failure::new(ErrorKind::RefusedAddress, refused.to_string()));
        }
        cause = e.source();
    }
    None
}

#[derive(Debug, thiserror::Error)]
#[error("`{0}` has no public address; allow it with `allow_private`")]
struct Refused(String);

/// Where names are looked up.
#[derive(Debug, Clone, Default)]
pub enum Names {
    /// By the system's resolver.
    #[default]
    System,
    /// In a table: for tests, which have no name server.
    Table(Arc<HashMap<String, Vec<IpAddr>>>),
}

impl Names {
    async fn find(&self, host: &str) -> std::io::Result<Vec<SocketAddr>> {
        match self {
            Self::System => Ok(tokio::net::lookup_host((host, 0)).await?.collect()),
            Self::Table(table) => match table.get(host) {
                Some(found) => Ok(found.iter().map(|ip| SocketAddr::new(*ip, 0)).collect()),
                None => Err(std::io::Error::other("no such name")),
            },
        }
    }
}

/// A resolver, less what the policy refuses.
#[derive(Debug, Clone)]
pub(super) struct Resolver {
    allow: AllowPrivate,
    names: Names,
}

impl Resolver {
    pub(super) fn new(allow: &AllowPrivate, names: &Names) -> Self {
        Self { allow: allow.clone(), names: names.clone() }
    }
}

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let Self { allow, names: table } = self.clone();
        Box::pin(async move {
            let host = name.as_str().trim_end_matches('.').to_ascii_lowercase();
            let found = table.find(&host).await?;
            let named = names(&allow, &host);
            let admitted: Vec<SocketAddr> = found.into_iter().filter(|a| named || admits(&allow, a.ip())).collect();
            if admitted.is_empty() {
                return Err(Refused(host).into());
            }
            let addresses: Addrs = Box::new(admitted.into_iter());
            Ok(addresses)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admitted(url: &str, allow: &AllowPrivate) -> bool {
        admit(&Url::parse(url).unwrap(), allow).is_ok()
    }

    #[test]
    fn no_spelling_of_a_private_address_is_admitted() {
        for url in [
            "http://127.0.0.1/",
            "http://127.1/",
            "http://0x7f000001/",
            "http://2130706433/",
            "http://0177.0.0.1/",
            "http://[::1]/",
            "http://[::]/",
            "http://[::ffff:10.0.0.1]/",
            "http://[64:ff9b::a00:1]/",
            "http://[2002:a00:1::]/",
            "http://169.254.169.254/",
            "http://localhost./",
            "http://a.localhost/",
            "http://10.0.0.1:8080/",
            "http://[fe80::1]/",
            "http://[fc00::1]/",
            "http://0/",
            "http://１２７.0.0.1/",
            "http://example.com:22/",
            "http://user@example.com/",
            "ftp://example.com/",
        ] {
            assert!(!admitted(url, &AllowPrivate::No), "{url}");
        }
        assert!(admitted("https://example.com/", &AllowPrivate::No));
        assert!(admitted("http://93.184.215.14/", &AllowPrivate::No));
        assert!(admitted("http://[2606:4700::1]/", &AllowPrivate::No));
    }

    #[test]
    fn what_the_configuration_names_is_admitted_and_nothing_else() {
        let only =
            AllowPrivate::Only { nets: vec!["10.0.0.0/8".parse().unwrap()], hosts: vec!["localhost".to_owned()] };
        assert!(admitted("http://10.2.3.4/", &only));
        assert!(admitted("http://[::ffff:10.2.3.4]/", &only));
        assert!(admitted("http://localhost:1200/", &only));
        assert!(!admitted("http://127.0.0.1/", &only));
        assert!(admitted("http://127.0.0.1:9/", &AllowPrivate::Yes));
        assert!(admitted("http://10.0.0.1:22/", &only) && admitted("http://localhost:25/", &only));
        assert!(!admitted("http://93.184.215.14:22/", &only) && !admitted("http://example.com:22/", &only));
    }
}
