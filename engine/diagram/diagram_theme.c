/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/diagram/diagram_theme.h"

#include "engine/base/words.h"

static const struct orr_paint paints[ORR_THEME_COUNT][ORR_ROLE_COUNT] =
    {
        [ORR_THEME_LIGHT] =
            {
                [ORR_ROLE_CANVAS] = {"#ffffff", "#ffffff", "#1c2128"},
                [ORR_ROLE_HOST] = {"#ffffff", "#8b939e", "#3d4550"},
                [ORR_ROLE_NUMA] = {"#f6f7f9", "#8b939e", "#3d4550"},
                [ORR_ROLE_SWITCH] = {"#fcfcfd", "#a4acb7", "#3d4550"},
                [ORR_ROLE_CARD] = {"#fdf8ef", "#c39a55", "#3d4550"},
                [ORR_ROLE_GPU] = {"#dfeaf8", "#35639b", "#14263d"},
                [ORR_ROLE_PCI] = {"#eef0f3", "#6d7682", "#2b323b"},
                [ORR_ROLE_NVS] = {"#e7e3f4", "#6a57a0", "#2a2148"},
                [ORR_ROLE_CPU] = {"#e3e6ea", "#59626e", "#1c2128"},
                [ORR_ROLE_NIC] = {"#f8ead0", "#9a6d1d", "#3d2a08"},
                [ORR_ROLE_NET] = {"#fff7e6", "#9a6d1d", "#3d2a08"},
                [ORR_ROLE_OTHER] = {"#f4f4f4", "#6d7682", "#2b323b"},
                [ORR_ROLE_NOTE] = {"#ffffff", "#ffffff", "#4a535f"},
                [ORR_ROLE_ALERT] = {"#ffffff", "#b3261e", "#a01e17"},
            },
        [ORR_THEME_DARK] =
            {
                [ORR_ROLE_CANVAS] = {"#14171b", "#14171b", "#e6e9ed"},
                [ORR_ROLE_HOST] = {"#14171b", "#6f7884", "#c3c9d1"},
                [ORR_ROLE_NUMA] = {"#1b1f25", "#6f7884", "#c3c9d1"},
                [ORR_ROLE_SWITCH] = {"#20252c", "#5d6672", "#c3c9d1"},
                [ORR_ROLE_CARD] = {"#29241b", "#94753c", "#c3c9d1"},
                [ORR_ROLE_GPU] = {"#1f3550", "#7fb0e8", "#e8f1fc"},
                [ORR_ROLE_PCI] = {"#2b313a", "#8b94a0", "#e1e5ea"},
                [ORR_ROLE_NVS] = {"#322b4d", "#a99be0", "#efebfd"},
                [ORR_ROLE_CPU] = {"#323943", "#9aa3ae", "#eef0f3"},
                [ORR_ROLE_NIC] = {"#46351a", "#d9a857", "#fcf0da"},
                [ORR_ROLE_NET] = {"#33291a", "#d9a857", "#fcf0da"},
                [ORR_ROLE_OTHER] = {"#25292f", "#8b94a0", "#e1e5ea"},
                [ORR_ROLE_NOTE] = {"#14171b", "#14171b", "#b4bcc6"},
                [ORR_ROLE_ALERT] = {"#14171b", "#ff8a7a", "#ffa093"},
            },
};

static const char *const paths[ORR_THEME_COUNT][ORR_PATH_TYPE_COUNT] = {
    [ORR_THEME_LIGHT] =
        {
            [ORR_PATH_LOC] = "#2a3a8c",
            [ORR_PATH_NVL] = "#364b9a",
            [ORR_PATH_NVB] = "#4a7bb7",
            [ORR_PATH_C2C] = "#2f86b8",
            [ORR_PATH_PIX] = "#3b8f9e",
            [ORR_PATH_PXB] = "#6f8a2f",
            [ORR_PATH_P2C] = "#8a7f1e",
            [ORR_PATH_PXN] = "#a87708",
            [ORR_PATH_PHB] = "#c4661a",
            [ORR_PATH_SYS] = "#c8321f",
            [ORR_PATH_NET] = "#7d5ba6",
            [ORR_PATH_DIS] = "#757575",
        },
    [ORR_THEME_DARK] =
        {
            [ORR_PATH_LOC] = "#a9b8ff",
            [ORR_PATH_NVL] = "#8fb2f2",
            [ORR_PATH_NVB] = "#79b8ee",
            [ORR_PATH_C2C] = "#6fc3e6",
            [ORR_PATH_PIX] = "#74d0cf",
            [ORR_PATH_PXB] = "#b5d078",
            [ORR_PATH_P2C] = "#ddd070",
            [ORR_PATH_PXN] = "#f0c463",
            [ORR_PATH_PHB] = "#f5a25a",
            [ORR_PATH_SYS] = "#f4775c",
            [ORR_PATH_NET] = "#c3a6e8",
            [ORR_PATH_DIS] = "#9a9a9a",
        },
};

static const char *const links[ORR_THEME_COUNT][ORR_LINK_TYPE_COUNT] = {
    [ORR_THEME_LIGHT] =
        {
            [ORR_LINK_LOC] = "#6d7682",
            [ORR_LINK_NVL] = "#364b9a",
            [ORR_LINK_C2C] = "#2f86b8",
            [ORR_LINK_PCI] = "#5f6874",
            [ORR_LINK_SYS] = "#a3521a",
            [ORR_LINK_NET] = "#9a6d1d",
        },
    [ORR_THEME_DARK] =
        {
            [ORR_LINK_LOC] = "#8b94a0",
            [ORR_LINK_NVL] = "#8fb2f2",
            [ORR_LINK_C2C] = "#6fc3e6",
            [ORR_LINK_PCI] = "#a3acb7",
            [ORR_LINK_SYS] = "#f0a165",
            [ORR_LINK_NET] = "#d9a857",
        },
};

/* The first is measured below; the second has nearly its widths, for viewers without it. */
const char orr_theme_font[] = "DejaVu Sans,Verdana,sans-serif";

/* Advance widths of U+0020 to U+007E in DejaVu Sans, thousandths of the size. */
static const unsigned short widths[95] = {
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361,  318, 337, 636, 636, 636,
    636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632,
    575, 775, 752, 295, 295, 656, 557, 863, 748, 787, 603, 787, 695, 635,  611, 732, 684, 989, 685,
    611, 685, 390, 337, 390, 838, 500, 500, 613, 635, 550, 635, 615, 352,  635, 634, 278, 278, 579,
    278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818, 592, 592,  525, 636, 337, 636, 838};

float orr_text_width(const char *text, float size)
{
    unsigned long sum = 0;
    for (const unsigned char *at = (const unsigned char *)text; *at; at++) {
        if (*at >= 0x20 && *at < 0x7f)
            sum += widths[*at - 0x20];
        else if (*at == 0xc2) /* Latin-1 signs, the middle dot among them */
            sum += 320;
        else if ((*at & 0xc0) != 0x80) /* any other character, once for its first byte: wide enough for CJK */
            sum += 1000;
    }
    return (float)sum * size / 1000.0f;
}

ORR_WORD_LIST(orr_theme_name, size_t, [ORR_THEME_LIGHT] = "light", [ORR_THEME_DARK] = "dark")

const struct orr_paint *orr_theme_paint(enum orr_theme theme, enum orr_role role)
{
    return &paints[theme][role];
}

const char *orr_theme_path(enum orr_theme theme, enum orr_path_type type)
{
    return paths[theme][(unsigned)type < ORR_PATH_TYPE_COUNT ? type : ORR_PATH_DIS];
}

const char *orr_theme_link(enum orr_theme theme, enum orr_link_type type)
{
    return links[theme][(unsigned)type < ORR_LINK_TYPE_COUNT ? type : ORR_LINK_PCI];
}
