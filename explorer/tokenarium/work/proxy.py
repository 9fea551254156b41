"""Which proxy an address is asked through: the environment's, else the system's."""

from __future__ import annotations

from urllib.parse import unquote, urlsplit

from PySide6.QtCore import QUrl
from PySide6.QtNetwork import QNetworkProxy, QNetworkProxyFactory, QNetworkProxyQuery

_KINDS = {
    "http": QNetworkProxy.ProxyType.HttpProxy,
    "https": QNetworkProxy.ProxyType.HttpProxy,
    "socks5": QNetworkProxy.ProxyType.Socks5Proxy,
    "socks5h": QNetworkProxy.ProxyType.Socks5Proxy,
}


def proxy_for(url: str) -> QNetworkProxy:
    """Returns the proxy for an address: that of ``HTTPS_PROXY``, ``ALL_PROXY`` … and ``NO_PROXY``,
    as Python's own urllib reads them; where none is set, that of the system's settings.
    """
    from urllib.request import (  # slow, and needed by few starts
        getproxies_environment,
        proxy_bypass,
    )

    parts = urlsplit(url)
    named = getproxies_environment()
    address = named.get(parts.scheme) or named.get("all")
    if address is None:
        found = QNetworkProxyFactory.systemProxyForQuery(QNetworkProxyQuery(QUrl(url)))
        return found[0] if found else QNetworkProxy(QNetworkProxy.ProxyType.NoProxy)
    if proxy_bypass(parts.netloc):
        return QNetworkProxy(QNetworkProxy.ProxyType.NoProxy)
    proxy = urlsplit(address if "://" in address else f"http://{address}")
    kind = _KINDS.get(proxy.scheme, QNetworkProxy.ProxyType.HttpProxy)
    port = proxy.port or (1080 if kind == QNetworkProxy.ProxyType.Socks5Proxy else 80)
    return QNetworkProxy(
        kind,
        proxy.hostname or "",
        port,
        unquote(proxy.username or ""),
        unquote(proxy.password or ""),
    )
