"""
Fingerprints of texts: `blake2b`, straight from where hashlib has it.

hashlib itself loads OpenSSL, which takes longer than all else that a recording hook does.
"""

from __future__ import annotations

try:
    from _blake2 import blake2b
except ImportError:
    from hashlib import blake2b

__all__ = ["blake2b"]
