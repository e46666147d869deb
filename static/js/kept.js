// SPDX-License-Identifier: Apache-2.0
/* What this browser keeps for the page. A browser that keeps nothing gives null, and is told nothing. */

export function read(key) {
    try {
        return localStorage.getItem(key);
    } catch {
        return null;
    }
}

/** Keeps a text, or with null no longer. Gives whether that was possible. */
export function write(key, text) {
    try {
        if (text === null) localStorage.removeItem(key);
        else localStorage.setItem(key, text);
        return true;
    } catch {
        return false;
    }
}
