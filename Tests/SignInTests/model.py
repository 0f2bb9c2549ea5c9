"""The rules for ID tokens as a program: the oracle of the vectors. Needs `cryptography`."""
import base64, hashlib, json, re

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa, utils

SKEW, LIFETIME, MAXIMUM = 60, 86_400, 8_192
ALGORITHMS = {"RS256": "RSA", "ES256": "EC"}


class Rejected(Exception):
    pass


def part(text):
    """Decodes strict base64url: no padding, no other characters, no set bits after the last byte."""
    if not re.fullmatch(r"[A-Za-z0-9_-]*", text) or len(text) % 4 == 1:
        raise Rejected("is malformed")
    data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    if base64.urlsafe_b64encode(data).rstrip(b"=").decode() != text:
        raise Rejected("is malformed")
    return data


def members(data):
    def unique(pairs):
        if len({key for key, _ in pairs}) != len(pairs):
            raise ValueError("duplicate key")
        return dict(pairs)

    def constant(_):
        raise ValueError("not JSON")

    try:
        value = json.loads(data.decode("utf-8"), object_pairs_hook=unique, parse_constant=constant)
    except (ValueError, RecursionError):
        raise Rejected("is malformed") from None
    if not isinstance(value, dict) or depth(value) > 16:
        raise Rejected("is malformed")
    return value


def depth(value):
    if isinstance(value, dict):
        return 1 + max(map(depth, value.values()), default=0)
    if isinstance(value, list):
        return 1 + max(map(depth, value), default=0)
    return 0


def number(text, size=None):
    data = part(text) if isinstance(text, str) else b""
    if size is not None and len(data) != size:
        raise Rejected("unusable")
    return int.from_bytes(data, "big")


def usable_keys(document):
    """Returns {kid: (kty, key)} of a JWKS; unusable members and later duplicates are left out."""
    if len(document) > 65_536:
        raise Rejected("unusable")
    found = {}
    for jwk in members(document).get("keys", [])[:100]:
        try:
            kid = jwk.get("kid")
            if not isinstance(kid, str) or not 1 <= len(kid.encode()) <= 255 or kid in found:
                continue
            if jwk.get("use", "sig") != "sig" or "verify" not in jwk.get("key_ops", ["verify"]):
                continue
            if jwk.get("kty") == "RSA" and jwk.get("alg", "RS256") == "RS256":
                modulus, exponent = number(jwk["n"]), number(jwk["e"])
                if not 2_048 <= modulus.bit_length() <= 4_096 or modulus % 2 == 0:
                    continue
                if not 3 <= exponent < 2**32 or exponent % 2 == 0:
                    continue
                found[kid] = ("RSA", rsa.RSAPublicNumbers(exponent, modulus).public_key())
            elif jwk.get("kty") == "EC" and jwk.get("crv") == "P-256" and jwk.get("alg", "ES256") == "ES256":
                numbers = ec.EllipticCurvePublicNumbers(
                    number(jwk["x"], 32), number(jwk["y"], 32), ec.SECP256R1()
                )
                found[kid] = ("EC", numbers.public_key())
        except (Rejected, ValueError, KeyError, TypeError, AttributeError):
            continue
    return found


def check_signature(kind, key, signature, signed):
    try:
        if kind == "RSA":
            key.verify(signature, signed, padding.PKCS1v15(), hashes.SHA256())
        else:
            if len(signature) != 64:
                raise InvalidSignature
            r, s = int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big")
            key.verify(utils.encode_dss_signature(r, s), signed, ec.ECDSA(hashes.SHA256()))
    except InvalidSignature:
        raise Rejected("has an invalid signature") from None


def time(claims, name, required=True):
    value = claims.get(name)
    if value is None and not required and name not in claims:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < 253_402_300_800:
        raise Rejected("is malformed")
    return int(value)


def text(claims, name, required=True):
    value = claims.get(name)
    if value is None and not required and name not in claims:
        return None
    if not isinstance(value, str):
        raise Rejected("is malformed")
    return value


def verify(token, issuers, now, nonce=None):
    """Returns (issuer, subject). `issuers` maps an issuer to (audiences, JWKS as bytes, whether a nonce is required)."""
    if not isinstance(token, str) or not token.strip():
        raise Rejected("can't be blank")
    if len(token.encode()) > MAXIMUM:
        raise Rejected("is too long (maximum is 8192 bytes)")
    parts = token.split(".")
    if len(parts) != 3:
        raise Rejected("is malformed")
    header, claims, signature = members(part(parts[0])), members(part(parts[1])), part(parts[2])
    algorithm = header.get("alg")
    if not isinstance(algorithm, str) or algorithm not in ALGORITHMS:
        raise Rejected("has an algorithm other than RS256 and ES256")
    if "crit" in header or str(header.get("typ", "JWT")).upper() != "JWT":
        raise Rejected("is not an ID token")
    issuer = text(claims, "iss")
    if issuer not in issuers:
        raise Rejected("is from an unknown issuer")
    audiences, document, needs_nonce = issuers[issuer]
    kid = header.get("kid")
    if not isinstance(kid, str) or kid not in (keys := usable_keys(document)):
        raise Rejected("was signed with an unknown key")
    kind, key = keys[kid]
    if ALGORITHMS[algorithm] != kind:
        raise Rejected("has an invalid signature")
    check_signature(kind, key, signature, f"{parts[0]}.{parts[1]}".encode())
    if "events" in claims:
        raise Rejected("is not an ID token")
    issued, expires, begins = time(claims, "iat"), time(claims, "exp"), time(claims, "nbf", False)
    if expires <= now - SKEW:
        raise Rejected("has expired")
    if max(issued, begins or 0) > now + SKEW:
        raise Rejected("is not valid yet")
    if expires - issued > LIFETIME + SKEW:
        raise Rejected("is valid for more than 24 hours")
    audience = claims.get("aud")
    audience = [audience] if isinstance(audience, str) else audience
    if not isinstance(audience, list) or not 1 <= len(audience) <= 16:
        raise Rejected("is malformed")
    if any(not isinstance(one, str) for one in audience):
        raise Rejected("is malformed")
    party = text(claims, "azp", False)
    if not set(audience) <= set(audiences) or (len(audience) > 1 and party not in audiences):
        raise Rejected("is for another audience")
    subject = text(claims, "sub")
    if not 1 <= len(subject.encode()) <= 255 or any(ord(c) < 32 or ord(c) == 127 for c in subject):
        raise Rejected("is malformed")
    if nonce is None:
        if needs_nonce:
            raise Rejected("needs its nonce")
        return issuer, subject
    accepted = [hashlib.sha256(nonce.encode()).hexdigest()] + ([] if needs_nonce else [nonce])
    if claims.get("nonce") not in accepted:
        raise Rejected("has another nonce")
    return issuer, subject
