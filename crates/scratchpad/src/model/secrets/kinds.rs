//! The kinds of secrets that begin in a way nothing else does.

use super::checks::{
    Check, has_crc, has_three_parts, is_figure_groups, is_figures_and_letters, is_mixed,
};

/// A set of ASCII characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Alphabet {
    LowerHex,
    /// Digits and letters.
    Base62,
    /// Base62, `-` and `_`.
    Word,
    /// Word, `.` and `=`.
    Dotted,
    /// Base62, `+`, `/`, `=`, `-` and `_`.
    Base64,
    Capitals,
}

impl Alphabet {
    pub(super) fn has(self, byte: u8) -> bool {
        let word = byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        match self {
            Self::LowerHex => byte.is_ascii_digit() || matches!(byte, b'a'..=b'f'),
            Self::Base62 => byte.is_ascii_alphanumeric(),
            Self::Word => word,
            Self::Dotted => word || matches!(byte, b'.' | b'='),
            Self::Base64 => word || matches!(byte, b'+' | b'/' | b'='),
            Self::Capitals => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
        }
    }
}

/// One kind: a prefix, and what comes after it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kind {
    pub(super) name: &'static str,
    pub(super) prefix: &'static str,
    pub(super) alphabet: Alphabet,
    /// How many characters of the alphabet come after the prefix, at least and at most.
    pub(super) least: usize,
    pub(super) most: usize,
    /// What must be true of them beside that.
    pub(super) check: Check,
}

const fn kind(
    name: &'static str,
    prefix: &'static str,
    alphabet: Alphabet,
    (least, most): (usize, usize),
    check: Check,
) -> Kind {
    Kind {
        name,
        prefix,
        alphabet,
        least,
        most,
        check,
    }
}

use Alphabet::{Base62, Base64, Capitals, Dotted, LowerHex, Word};

/// All kinds. A prefix that begins another comes after it.
pub(super) const KINDS: &[Kind] = &[
    kind("github-token", "ghp_", Base62, (36, 36), has_crc),
    kind("github-token", "gho_", Base62, (36, 36), has_crc),
    kind("github-token", "ghu_", Base62, (36, 36), has_crc),
    kind("github-token", "ghs_", Base62, (36, 36), has_crc),
    kind("github-token", "ghr_", Base62, (36, 36), has_crc),
    kind("github-token", "github_pat_", Word, (82, 82), is_mixed),
    kind("npm-token", "npm_", Base62, (36, 36), has_crc),
    kind("scratchpad-token", "spt_", Base62, (36, 36), has_crc),
    kind("gitlab-token", "glpat-", Dotted, (20, 320), is_mixed),
    kind("gitlab-token", "glrt-", Dotted, (20, 320), is_mixed),
    kind("slack-token", "xoxb-", Word, (40, 250), is_figure_groups),
    kind("slack-token", "xoxp-", Word, (40, 250), is_figure_groups),
    kind("slack-token", "xapp-", Word, (60, 250), is_figure_groups),
    kind(
        "slack-webhook",
        "https://hooks.slack.com/services/T",
        Base64,
        (30, 60),
        has_three_parts,
    ),
    kind(
        "discord-webhook",
        "https://discord.com/api/webhooks/",
        Base64,
        (80, 100),
        is_mixed,
    ),
    kind("stripe-key", "sk_live_", Base62, (24, 247), is_mixed),
    kind("stripe-key", "rk_live_", Base62, (24, 247), is_mixed),
    kind(
        "stripe-webhook-secret",
        "whsec_",
        Base64,
        (32, 64),
        is_mixed,
    ),
    kind("anthropic-key", "sk-ant-", Word, (80, 140), is_mixed),
    kind("openai-key", "sk-proj-", Word, (60, 200), is_mixed),
    kind("openai-key", "sk-svcacct-", Word, (60, 200), is_mixed),
    kind("openai-key", "sk-admin-", Word, (60, 200), is_mixed),
    kind(
        "openrouter-key",
        "sk-or-v1-",
        LowerHex,
        (64, 64),
        is_figures_and_letters,
    ),
    kind("google-api-key", "AIza", Word, (35, 35), is_mixed),
    kind("google-client-secret", "GOCSPX-", Word, (28, 28), is_mixed),
    kind("google-access-token", "ya29.", Word, (60, 400), is_mixed),
    kind("huggingface-token", "hf_", Base62, (34, 34), is_mixed),
    kind("groq-key", "gsk_", Base62, (52, 52), is_mixed),
    kind("xai-key", "xai-", Base62, (80, 80), is_mixed),
    kind("perplexity-key", "pplx-", Base62, (48, 48), is_mixed),
    kind("replicate-token", "r8_", Base62, (37, 37), is_mixed),
    kind("langsmith-key", "lsv2_", Word, (45, 60), is_mixed),
    kind(
        "digitalocean-token",
        "dop_v1_",
        LowerHex,
        (64, 64),
        is_figures_and_letters,
    ),
    kind(
        "shopify-token",
        "shpat_",
        LowerHex,
        (32, 32),
        is_figures_and_letters,
    ),
    kind(
        "shopify-token",
        "shpss_",
        LowerHex,
        (32, 32),
        is_figures_and_letters,
    ),
    kind("sendgrid-key", "SG.", Dotted, (66, 66), is_mixed),
    kind(
        "pypi-token",
        "pypi-AgEIcHlwaS5vcmc",
        Word,
        (50, 1000),
        is_figures_and_letters,
    ),
    kind(
        "rubygems-key",
        "rubygems_",
        LowerHex,
        (48, 48),
        is_figures_and_letters,
    ),
    kind("docker-token", "dckr_pat_", Word, (27, 27), is_mixed),
    kind("vault-token", "hvs.", Word, (90, 300), is_mixed),
    kind(
        "databricks-token",
        "dapi",
        LowerHex,
        (32, 32),
        is_figures_and_letters,
    ),
    kind(
        "newrelic-key",
        "NRAK-",
        Capitals,
        (27, 27),
        is_figures_and_letters,
    ),
    kind("grafana-token", "glsa_", Word, (41, 41), is_mixed),
    kind("grafana-token", "glc_", Base64, (32, 400), is_mixed),
    kind("linear-key", "lin_api_", Base62, (40, 40), is_mixed),
    kind("notion-token", "ntn_", Base62, (46, 46), is_mixed),
    kind("figma-token", "figd_", Word, (38, 50), is_mixed),
    kind(
        "postman-key",
        "PMAK-",
        Word,
        (59, 59),
        is_figures_and_letters,
    ),
    kind("atlassian-token", "ATATT3", Base64, (180, 220), is_mixed),
    kind("square-secret", "sq0csp-", Word, (43, 43), is_mixed),
    kind("planetscale-token", "pscale_", Dotted, (35, 80), is_mixed),
    kind(
        "supabase-token",
        "sbp_",
        LowerHex,
        (40, 40),
        is_figures_and_letters,
    ),
    kind(
        "age-key",
        "AGE-SECRET-KEY-1",
        Capitals,
        (58, 58),
        is_figures_and_letters,
    ),
    kind("sentry-token", "sntrys_eyJ", Base64, (80, 400), is_mixed),
    kind("tailscale-key", "tskey-", Word, (24, 80), is_mixed),
    kind(
        "azure-storage-key",
        "AccountKey=",
        Base64,
        (88, 88),
        is_mixed,
    ),
];
